package dev.rekindle.detect.ncclog;

/**
 * A line that is read.
 *
 * @param rank the global rank that printed it; -1 where the line does not say
 * @param millis when, by the clock of its host, counted within a year of 12 months of 31 days, as
 *     such lines have no year; -1 where the line does not say
 * @param fact what it says
 */
public record NcclLine(int rank, long millis, LogFact fact) {
  /** A year of such milliseconds. */
  public static final long YEAR = 12L * 31 * 24 * 3600 * 1000;
}
