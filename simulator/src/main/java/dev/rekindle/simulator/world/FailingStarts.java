package dev.rekindle.simulator.world;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/** The next starts of the ranks of a gang that fail, and with which exit code. */
final class FailingStarts {
  private record Failing(int times, int code) {}

  private final Map<Integer, Failing> left = new HashMap<>();

  /** So many of the next starts of a rank end with that code. */
  void plan(int rank, int times, int code) {
    left.put(rank, new Failing(times, code));
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
