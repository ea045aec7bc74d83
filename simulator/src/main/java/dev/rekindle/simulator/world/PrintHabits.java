package dev.rekindle.simulator.world;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * How the ranks of a job differ in what they print: some print late, as their output is buffered,
 * and some print a loss of their own, which is no number although that of the job is.
 */
final class PrintHabits {
  private final Map<Integer, Duration> late = new HashMap<>();
  private final Set<Integer> notFinite = new HashSet<>();

  /** What that rank prints comes so much later. */
  void late(int rank, Duration by) {
    late.put(rank, by);
  }

  /** The loss that this rank prints is none. */
  void notFinite(int rank) {
    notFinite.add(rank);
  }

  Duration late(int rank) {
    return late.getOrDefault(rank, Duration.ZERO);
  }

  boolean isNotFinite(int rank) {
    return notFinite.contains(rank);
  }
}
