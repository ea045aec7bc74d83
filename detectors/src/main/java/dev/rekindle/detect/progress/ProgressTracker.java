package dev.rekindle.detect.progress;

import java.time.Instant;

/**
 * Turns the steps that a container prints into progress. Several processes may print the same steps
 * a little apart, so a step that is not higher than the last is no progress. Where a lower count
 * keeps growing by itself, the processes in the container were started again (torchrun does that):
 * training is where the lower count is.
 */
final class ProgressTracker {
  /** Lower steps in a row, each above the one before, that show training is there again. */
  static final int GROWING = 3;

  private final PaceTracker pace = new PaceTracker();
  private Progress progress = Progress.begin(0);
  private long lower = -1;
  private int growing;

  /** Starts over for another run of the container; the same run goes on. */
  void run(int run) {
    if (run != progress.run()) {
      progress = Progress.begin(run);
      pace.run();
      forgetLower();
    }
  }

  /** Takes one step that was printed. */
  void step(Instant time, long step) {
    var last = progress.lastStep();
    if (last == null) {
      progress = new Progress(progress.run(), step, time, step, time);
      pace.step(time);
    } else if (step > last) {
      reached(time, step);
    } else if (step < last) {
      growing = step > lower ? growing + 1 : 1;
      lower = step;
      if (growing >= GROWING) {
        pace.run();
        reached(time, step);
      }
    }
  }

  /** Takes a line that names no step. */
  void other(String line) {
    pace.other(line);
  }

  private void reached(Instant time, long step) {
    pace.step(time);
    progress =
        new Progress(progress.run(), progress.firstStep(), progress.firstStepTime(), step, time);
    forgetLower();
  }

  private void forgetLower() {
    lower = -1;
    growing = 0;
  }

  Progress progress() {
    return progress;
  }

  Pace pace() {
    return pace.pace();
  }
}
