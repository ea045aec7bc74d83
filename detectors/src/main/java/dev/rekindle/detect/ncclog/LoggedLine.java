package dev.rekindle.detect.ncclog;

import java.time.Instant;

/**
 * A line of the log of a container.
 *
 * @param rank the global rank that printed it; -1 where the line does not say
 * @param time when the container runtime wrote it
 * @param fact what it says
 */
public record LoggedLine(int rank, Instant time, LogFact fact) {}
