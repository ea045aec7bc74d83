package dev.rekindle.controller.economics;

import dev.rekindle.api.Saves;
import dev.rekindle.controller.model.Inspection.Checkpoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;

/** How a job saves, as the checkpoints show that it has left. */
public final class SaveIntervals {
  /** So many of the newest intervals count: a job may have changed how often it saves. */
  private static final int NEWEST = 5;

  private SaveIntervals() {}

  /** Reads valid checkpoints; empty where there is none. */
  public static Optional<Saves> of(List<Checkpoint> checkpoints) {
    List<Checkpoint> valid =
        checkpoints.stream()
            .filter(c -> c.candidate().valid())
            .sorted(Comparator.comparingLong(Checkpoint::step))
            .toList();
    if (valid.isEmpty()) {
      return Optional.empty();
    }
    Long stepsApart = null;
    List<Double> seconds = new ArrayList<>();
    for (int i = 1; i < valid.size(); i++) {
      long steps = valid.get(i).step() - valid.get(i - 1).step();
      stepsApart = stepsApart == null ? steps : Math.max(stepsApart, steps);
      Instant from = valid.get(i - 1).modified();
      Instant to = valid.get(i).modified();
      // One that is older than the one before it is of another course of training.
      if (from != null && to != null && to.isAfter(from)) {
        seconds.add(Duration.between(from, to).toMillis() / 1000.0);
      }
    }
    OptionalDouble median =
        median(seconds.subList(Math.max(0, seconds.size() - NEWEST), seconds.size()));
    return Optional.of(
        new Saves(
            valid.size(),
            valid.getFirst().step(),
            valid.getLast().step(),
            valid.stream()
                .map(Checkpoint::modified)
                .filter(Objects::nonNull)
                .max(Instant::compareTo)
                .orElse(null),
            stepsApart,
            median.isPresent() ? median.getAsDouble() : null));
  }

  /** The middle one; the mean of two where there is none. */
  static OptionalDouble median(List<Double> values) {
    if (values.isEmpty()) {
      return OptionalDouble.empty();
    }
    List<Double> sorted = values.stream().sorted().toList();
    int half = sorted.size() / 2;
    return OptionalDouble.of(
        sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2);
  }
}
