package dev.rekindle.detect.stall;

import dev.rekindle.detect.ncclog.LogFact;

/**
 * What a rank has logged.
 *
 * @param rank its global rank; -1 where it is not known
 * @param order where the line stands
 * @param fact what the line says
 */
public record LoggedFact(int rank, LogOrder order, LogFact fact) {}
