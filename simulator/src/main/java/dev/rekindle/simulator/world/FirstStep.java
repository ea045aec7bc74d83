package dev.rekindle.simulator.world;

import java.time.Instant;

/**
 * The first step that processes of one generation have made together.
 *
 * @param step its number
 * @param at when it was made
 */
public record FirstStep(long step, Instant at) {}
