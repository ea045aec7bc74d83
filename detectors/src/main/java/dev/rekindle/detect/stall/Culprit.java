package dev.rekindle.detect.stall;

/**
 * A rank that the others wait for.
 *
 * @param rank its global rank
 * @param reason why it is named, as a sentence without its end
 */
public record Culprit(int rank, String reason) {}
