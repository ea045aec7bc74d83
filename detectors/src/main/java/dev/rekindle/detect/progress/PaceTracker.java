package dev.rekindle.detect.progress;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
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
  private @Nullable Instant last;
  private boolean pausing;

  /** The container has been started again: the time in between is no interval. */
  void run() {
    last = null;
    ofThisRun = 0;
    pausing = false;
  }

  /** A higher step than before was printed. */
  void step(Instant time) {
    var before = last;
    boolean announced = pausing;
    last = time;
    pausing = false;
    if (before == null) {
      return;
    }
    long millis = Duration.between(before, time).toMillis();
    ofThisRun = Math.min(ofThisRun + 1, Integer.MAX_VALUE - 1);
    if (millis < 0 || announced || ofThisRun <= WARM_UP) {
      // A clock that was set back tells nothing of the step, nor does a pause that was announced:
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

  /** A line that names no step, after the newest step. */
  void other(String line) {
    if (!pausing && last != null) {
      pausing = PauseWords.announce(line);
    }
  }

  Pace pace() {
    int known = Math.min(intervals, RECENT);
    if (known == 0) {
      return new Pace(0, ofThisRun, 0, 0, 0, pausing);
    }
    int[] sorted = Arrays.copyOf(recent, known);
    Arrays.sort(sorted);
    int p99 = sorted[(int) Math.ceil(known * 0.99) - 1];
    int most = Arrays.stream(longest).max().orElse(0);
    return new Pace(intervals, ofThisRun, p99, most, trainedMillis, pausing);
  }
}
