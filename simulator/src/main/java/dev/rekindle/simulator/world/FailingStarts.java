package dev.rekindle.simulator.world;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/** The next starts of the ranks of a gang that fail, and with which exit code, or that hang. */
final class FailingStarts {
  private record Failing(int times, int code) {}

  private final Map<Integer, Failing> left = new HashMap<>();
  private final Set<Integer> hanging = new HashSet<>();

  /** So many of the next starts of a rank end with that code. */
  void plan(int rank, int times, int code) {
    left.put(rank, new Failing(times, code));
  }

  /** The next start of a rank hangs. */
  void hang(int rank) {
    hanging.add(rank);
  }

  /** Whether this start of that rank hangs. */
  boolean hangs(int rank) {
    return hanging.remove(rank);
  }

  /** The exit code of a start of that rank; empty where it does not fail. */
  OptionalInt start(int rank) {
    Failing failing = left.get(rank);
    if (failing == null || failing.times() <= 0) {
      return OptionalInt.empty();
    }
    left.put(rank, new Failing(failing.times() - 1, failing.code()));
    return OptionalInt.of(failing.code());
  }
}
