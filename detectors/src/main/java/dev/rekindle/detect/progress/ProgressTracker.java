package dev.rekindle.detect.progress;

import dev.rekindle.detect.progress.Reading.Step;
import dev.rekindle.detect.progress.RisingCount.Move;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns what a container prints into progress. One series of lines counts the steps: the first that
 * is believed, until a more trustworthy one moves, or one that continues where the first has ended.
 * The others are signs of life. Where a lower count keeps growing by itself, the processes in the
 * container were started again (torchrun does that): training is where the lower count is.
 */
final class ProgressTracker {
  /** Series remembered; the one that is longest without a line is forgotten for another. */
  static final int SERIES = 16;

  private final PaceTracker pace = new PaceTracker();

  @SuppressWarnings("serial") // It is never written.
  private final Map<String, StepSeries> series =
      new LinkedHashMap<>(2 * SERIES, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, StepSeries> eldest) {
          return size() > SERIES;
        }
      };

  private Progress progress = Progress.begin(0);
  private @Nullable StepSeries counts;
  private String countsName = "";
  private long signs;

  /** Starts over for another run of the container; the same run continues. */
  void run(int run) {
    if (run != progress.run()) {
      progress = Progress.begin(run);
      pace.run();
      series.clear();
      counts = null;
    }
  }

  /** Takes one step that was printed as the job says that it prints them. */
  void step(Instant time, long step) {
    take(time, new Step(StepFormat.REKINDLE, "", -1, step, -1, -1));
  }

  /** Takes what one line says. */
  void take(Instant time, Reading reading) {
    // Whatever else is printed, the series that counts is not forgotten.
    var _ = series.get(countsName);
    var one = series.computeIfAbsent(reading.series(), name -> new StepSeries(reading));
    var move = one.take(time, reading);
    if (move == Move.NONE) {
      return;
    }
    signs++;
    var before = counts;
    if (before == one) {
      if (move == Move.BEGUN_ANEW) {
        pace.run();
      }
      reached(time, one);
    } else if (reading instanceof Step
        && (before == null ? one.isEstablished() : one.takesOverFrom(before))) {
      pace.run();
      counts = one;
      countsName = reading.series();
      reached(time, one);
    } else {
      pace.alive(time);
    }
  }

  /** The pattern of the job is another: what was counted before says nothing of what comes. */
  void forgetSeries() {
    series.clear();
    counts = null;
  }

  /** Lines have come at once that were printed over so long a time. */
  void burst(Duration span) {
    pace.burst(span);
  }

  /** Whether a line that announces a pause would change anything. */
  boolean listensForPause() {
    return pace.listensForPause();
  }

  /** A line after the newest step announces a pause. */
  void pauses() {
    pace.pauses();
  }

  private void reached(Instant time, StepSeries one) {
    pace.step(time);
    var first = progress.firstStep();
    progress =
        first == null
            ? new Progress(progress.run(), one.number(), time, one.number(), time)
            : new Progress(progress.run(), first, progress.firstStepTime(), one.number(), time);
    for (var other : series.values()) {
      if (other != one) {
        other.otherMoved();
      }
    }
  }

  Progress progress() {
    return progress;
  }

  Pace pace() {
    return pace.pace();
  }

  /** How often anything has moved: steps, and whatever else counts. */
  long signs() {
    return signs;
  }
}
