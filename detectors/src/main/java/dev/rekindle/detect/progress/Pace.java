package dev.rekindle.detect.progress;

/**
 * How steps follow each other in the log of one container: what its next step may be expected to
 * take. An interval is between two lines that each name a higher step; a trainer that logs every
 * tenth step has intervals of ten steps.
 *
 * @param intervals how many have been measured, over all runs of the container
 * @param ofThisRun how many of them in its present run, the first few included that are not
 *     measured because they compile and warm up
 * @param p99Millis 99 % of the newest {@link PaceTracker#RECENT} are at most this long; 0 before
 *     the first
 * @param longestMillis the longest of the newest 65,000 or so: how long the pauses have taken that
 *     no line announces
 * @param trainedMillis the sum of all that were measured
 * @param pausing whether a line after the newest step announces a pause, such as an evaluation
 */
public record Pace(
    int intervals,
    int ofThisRun,
    long p99Millis,
    long longestMillis,
    long trainedMillis,
    boolean pausing) {
  /** Of a container that has shown no two steps yet. */
  public static final Pace NONE = new Pace(0, 0, 0, 0, 0, false);
}
