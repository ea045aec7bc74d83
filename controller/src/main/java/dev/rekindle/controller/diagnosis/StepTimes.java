package dev.rekindle.controller.diagnosis;

import dev.rekindle.controller.model.RankView;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * How long a step takes, from the first and the newest step that a run of a container has printed
 * and their time stamps, which are of one clock. Saves and evaluations in between are included,
 * before a restart as after it.
 */
public final class StepTimes {
  /** Fewer steps show more of a save or of filling caches than of the network. */
  static final int STEPS = 100;

  /** A gang is slower where its steps take more than so many times as long as before. */
  public static final double SLOWER = 1.25;

  private StepTimes() {}

  private record Run(long steps, Duration time) {
    private double secondsPerStep() {
      return (time.toSeconds() + time.toNanosPart() / 1e9) / steps;
    }
  }

  /** Seconds, of the rank with the most steps; empty where there are too few. */
  public static OptionalDouble secondsPerStep(Collection<RankView> ranks) {
    return ranks.stream()
        .map(StepTimes::run)
        .flatMap(Optional::stream)
        .max(Comparator.comparingLong(Run::steps))
        .map(run -> OptionalDouble.of(run.secondsPerStep()))
        .orElse(OptionalDouble.empty());
  }

  private static Optional<Run> run(RankView rank) {
    Long first = rank.firstStep();
    Long last = rank.lastStep();
    Instant from = rank.firstStepTime();
    Instant to = rank.lastStepTime();
    if (first == null || last == null || from == null || to == null || first < 0) {
      return Optional.empty();
    }
    long steps = last - first;
    Duration time = Duration.between(from, to);
    return steps < STEPS || !time.isPositive()
        ? Optional.empty()
        : Optional.of(new Run(steps, time));
  }

  /**
   * How many times as long as before a step takes; empty where either is not known.
   *
   * @param before seconds of a step before
   */
  public static OptionalDouble ratio(@Nullable Double before, Collection<RankView> ranks) {
    OptionalDouble now = secondsPerStep(ranks);
    return now.isEmpty() || before == null || Objects.requireNonNull(before) <= 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(now.getAsDouble() / before);
  }
}
