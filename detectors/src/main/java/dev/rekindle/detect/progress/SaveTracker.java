package dev.rekindle.detect.progress;

import dev.rekindle.api.LoggedSaves;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Learns how often a container saves and how long that takes, from the lines that say so and the
 * steps between them. Several lines with no step between them are of one save: one for each file,
 * or one of each process. A save whose end no line of this container ever says counts as over once
 * a higher step is made. It remembers over restarts of the container: the program is the same.
 * Memory is bounded. For one thread.
 */
final class SaveTracker {
  /** So many of the newest count: a job may have changed how often it saves. */
  static final int NEWEST = 5;

  /** Of a container whose steps are not seen, lines of one save come within this. */
  private static final Duration ONE_SAVE = Duration.ofSeconds(30);

  /** One that has begun, or whose end was seen; and the step that training was at. */
  private static final class Save {
    final @Nullable Instant begun;
    final @Nullable Long step;
    @Nullable Instant over;
    boolean trainedMeanwhile;
    boolean isReopened;

    Save(@Nullable Instant begun, @Nullable Long step) {
      this.begun = begun;
      this.step = step;
    }
  }

  private record Interval(double seconds, long steps) {}

  private final Deque<Interval> apart = new ArrayDeque<>();
  private final Deque<Double> lengths = new ArrayDeque<>();
  private @Nullable Save open;
  private @Nullable Instant lastTime;
  private @Nullable Long lastStep;

  /** The newest save of this run, for the interval to the next one. */
  private @Nullable Instant ofThisRun;

  private @Nullable Long stepOfThisRun;
  private boolean endsAreSaid;
  private boolean background;
  private int saves;
  private int intervals;
  private double blockedSeconds;

  /** The container has been started again: what was under way is cut off. */
  void run() {
    settleIfOver();
    open = null;
    ofThisRun = null;
    stepOfThisRun = null;
    blockedSeconds = 0;
  }

  /**
   * Takes one line.
   *
   * @param step the step that training is at; absent where none was seen
   */
  void take(Instant time, SaveLine line, @Nullable Long step) {
    Save now = open;
    if (now != null && now.over != null && step == null && isLater(time, now.over)) {
      settleIfOver();
      now = null;
    }
    switch (line) {
      case BEGINS -> {
        if (now == null || (now.over == null && now.trainedMeanwhile)) {
          // One that never ended while steps continued is not known to be there.
          open = new Save(time, step);
        }
      }
      case OVER -> {
        if (now == null) {
          now = endsAreSaid || saves == 0 ? new Save(null, step) : reopened();
          open = now;
        }
        endsAreSaid = true;
        now.over = time;
        if (now.trainedMeanwhile) {
          settleIfOver();
        }
      }
    }
  }

  /** The first end that is said is that of the save which was taken for over without one. */
  private Save reopened() {
    Save last = new Save(lastTime, lastStep);
    last.trainedMeanwhile = true;
    last.isReopened = true;
    saves--;
    return last;
  }

  private static boolean isLater(Instant time, Instant over) {
    return Duration.between(over, time).compareTo(ONE_SAVE) > 0;
  }

  /** A higher step than before was printed. */
  void step() {
    Save now = open;
    if (now == null) {
      return;
    }
    if (now.over != null) {
      settleIfOver();
    } else if (endsAreSaid) {
      now.trainedMeanwhile = true;
    } else {
      // It has returned, or no step would be made. How long it took is not known.
      settle(now.begun, now);
    }
  }

  private void settleIfOver() {
    Save now = open;
    if (now != null && now.over != null) {
      settle(now.over, now);
    }
  }

  private void settle(@Nullable Instant at, Save save) {
    open = null;
    if (at == null) {
      return;
    }
    saves = Math.min(saves + 1, Integer.MAX_VALUE - 1);
    if (save.begun != null && save.over != null && !save.over.isBefore(save.begun)) {
      double seconds = seconds(save.begun, save.over);
      push(lengths, seconds);
      background = save.trainedMeanwhile;
      blockedSeconds += background ? 0 : seconds;
    }
    Interval since = save.isReopened ? null : since(at, save.step);
    if (since != null) {
      push(apart, since);
      intervals = Math.min(intervals + 1, Integer.MAX_VALUE - 1);
    }
    lastTime = at;
    lastStep = save.step;
    ofThisRun = at;
    stepOfThisRun = save.step;
  }

  /** From the save before it in this run; a step that is not higher is of another course. */
  private @Nullable Interval since(Instant at, @Nullable Long step) {
    Instant from = ofThisRun;
    if (from == null || !at.isAfter(from)) {
      return null;
    }
    Long fromStep = stepOfThisRun;
    if (step == null || fromStep == null) {
      return new Interval(seconds(from, at), 0);
    }
    return step > fromStep ? new Interval(seconds(from, at), step - fromStep) : null;
  }

  private static <T> void push(Deque<T> newest, T one) {
    newest.addLast(one);
    if (newest.size() > NEWEST) {
      newest.removeFirst();
    }
  }

  private static double seconds(Instant from, Instant to) {
    return Duration.between(from, to).toMillis() / 1000.0;
  }

  /** What is known so far; empty before the first save. */
  Optional<LoggedSaves> saves() {
    Save now = open;
    if (saves == 0 && now == null) {
      return Optional.empty();
    }
    Instant over = now == null ? null : now.over;
    long steps = apart.stream().mapToLong(Interval::steps).max().orElse(0);
    OptionalDouble longest = apart.stream().mapToDouble(Interval::seconds).max();
    return Optional.of(
        new LoggedSaves(
            over == null ? saves : saves + 1,
            now == null || over == null ? lastStep : now.step,
            over == null ? lastTime : over,
            intervals,
            median(apart.stream().map(Interval::seconds).toList()),
            longest.isPresent() ? longest.getAsDouble() : null,
            steps == 0 ? null : Long.valueOf(steps),
            median(List.copyOf(lengths)),
            background,
            blockedSeconds,
            now != null && over == null ? now.begun : null));
  }

  /** The middle one; the mean of two where there is none. */
  private static @Nullable Double median(List<Double> values) {
    if (values.isEmpty()) {
      return null;
    }
    List<Double> sorted = values.stream().sorted().toList();
    int half = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(half)
        : Double.valueOf((sorted.get(half - 1) + sorted.get(half)) / 2);
  }
}
