package dev.rekindle.simulator.replay;

import java.time.Duration;

/**
 * One row of a trace: a node has a fault for a while.
 *
 * @param node name of the node
 * @param start when it began, from the beginning of the trace
 * @param end when the node was good again
 * @param level column {@code level}: hardware, software or other
 * @param category column {@code class}: GPU, NIC, ...
 * @param description column {@code description}
 */
record Outage(
    String node, Duration start, Duration end, String level, String category, String description) {
  private static final double MILLIS_PER_DAY = 86_400_000.0;

  static Duration days(double days) {
    return Duration.ofMillis(Math.round(days * MILLIS_PER_DAY));
  }

  static double days(Duration duration) {
    return duration.toMillis() / MILLIS_PER_DAY;
  }
}
