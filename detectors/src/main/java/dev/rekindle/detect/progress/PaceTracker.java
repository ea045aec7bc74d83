package dev.rekindle.detect.progress;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Learns how long the steps of a container take, and how long its pauses. It remembers over
 * restarts of the container: the program is the same. Memory is bounded: some 3 KiB.
 */
final class PaceTracker {
  /** Intervals of which the 99th percentile is taken. */
  static final int RECENT = 512;

  /** The first intervals of a run, in which programs compile and caches fill, teach nothing. */
  static final int WARM_UP = 3;

  private static final int BLOCKS = 64;
  private static final int BLOCK = 1024;

  /** An interval beyond this is kept as this, in milliseconds: 24 days. */
  private static final int LONGEST = Integer.MAX_VALUE;

  private final int[] recent = new int[RECENT];

  /** The longest of each {@link #BLOCK} intervals, so that what is long ago is forgotten. */
  private final int[] longest = new int[BLOCKS];

  private int intervals;
  private int ofThisRun;
  private long trainedMillis;
  private long burstMillis;
  private @Nullable Instant last;

  /** The newest sign of life since the newest step, and the longest time without one. */
  private @Nullable Instant sign;

  private long gapMillis;
  private boolean pausing;

  /** The container has been started again: the time in between is no interval. */
  void run() {
    last = null;
    sign = null;
    gapMillis = 0;
    ofThisRun = 0;
    pausing = false;
  }

  /**
   * Something else than a step has moved, such as the bar of an evaluation. How long the next step
   * may take is how long nothing at all moves before it.
   */
  void alive(Instant time) {
    if (last != null) {
      gapMillis = Math.max(gapMillis, millisSinceSign(time));
      sign = time;
    }
  }

  private long millisSinceSign(Instant time) {
    Instant since = Objects.requireNonNullElse(sign, Objects.requireNonNull(last));
    return Duration.between(since, time).toMillis();
  }

  /**
   * Lines have come at once that the program printed over so long a time: the runtime holds a bar
   * back until its pieces fill 16 KiB. The next ones will take as long.
   */
  void burst(Duration span) {
    burstMillis = Math.min(Math.max(burstMillis, span.toMillis()), LONGEST);
  }

  /** A higher step than before was printed. */
  void step(Instant time) {
    var before = last;
    boolean announced = pausing;
    long millis = before == null ? 0 : Math.max(gapMillis, millisSinceSign(time));
    boolean backwards = before != null && time.isBefore(before);
    last = time;
    sign = null;
    gapMillis = 0;
    pausing = false;
    if (before == null || time.equals(before)) {
      // What is written at once, as from a buffer, says nothing of what is between.
      return;
    }
    ofThisRun = Math.min(ofThisRun + 1, Integer.MAX_VALUE - 1);
    if (backwards || millis < 0 || announced || ofThisRun <= WARM_UP) {
      // A clock that was set back says nothing of the step, nor does a pause that was announced:
      // the next one will be as well.
      return;
    }
    int interval = (int) Math.min(millis, LONGEST);
    recent[intervals % RECENT] = interval;
    int block = intervals / BLOCK % BLOCKS;
    longest[block] = intervals % BLOCK == 0 ? interval : Math.max(longest[block], interval);
    // Wrapping at a multiple of both rings keeps their positions.
    intervals = intervals + 1 == 2 * BLOCKS * BLOCK ? BLOCKS * BLOCK : intervals + 1;
    trainedMillis += interval;
  }

  /** Whether a line that announces a pause would change anything. */
  boolean listensForPause() {
    return !pausing && last != null;
  }

  /** A line after the newest step announces a pause. */
  void pauses() {
    pausing = pausing || last != null;
  }

  Pace pace() {
    int known = Math.min(intervals, RECENT);
    if (known == 0) {
      return new Pace(0, ofThisRun, 0, burstMillis, 0, pausing);
    }
    int[] sorted = Arrays.copyOf(recent, known);
    Arrays.sort(sorted);
    int p99 = sorted[(int) Math.ceil(known * 0.99) - 1];
    long most = Math.max(burstMillis, Arrays.stream(longest).max().orElse(0));
    return new Pace(intervals, ofThisRun, p99, most, trainedMillis, pausing);
  }
}
