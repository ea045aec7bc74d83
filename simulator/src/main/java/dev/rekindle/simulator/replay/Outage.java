package dev.rekindle.simulator.replay;

import io.soabase.recordbuilder.core.RecordBuilder;
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
@RecordBuilder
record Outage(
    String node, Duration start, Duration end, String level, String category, String description)
    implements OutageBuilder.With {
  /** The same, at least until then. */
  Outage until(Duration least) {
    return withEnd(Durations.longer(end, least));
  }
}
