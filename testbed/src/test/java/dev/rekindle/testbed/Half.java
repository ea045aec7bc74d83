package dev.rekindle.testbed;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Half of the nodes. Two tests that break nodes can run side by side, each on a half. Outside of
 * such a test the second half is cordoned, so that a test without a half has the first one alone.
 */
enum Half {
  /** The nodes 0 to 3. */
  FIRST(0),
  /** The nodes 4 to 7. */
  SECOND(4);

  /** Which half a node belongs to, as a job requests it. */
  static final String LABEL = "rekindle.testbed/half";

  private static final int SIZE = 4;

  /** All nodes of a testbed. */
  static final int ALL_NODES = values().length * SIZE;

  private final int first;

  Half(int first) {
    this.first = first;
  }

  /** Names of its nodes. */
  List<String> nodes() {
    return IntStream.range(first, first + SIZE).mapToObj(i -> "node-" + i).toList();
  }

  /** Value of the label. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
