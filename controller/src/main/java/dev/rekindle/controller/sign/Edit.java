package dev.rekindle.controller.sign;

import dev.rekindle.api.NodeFaultSpec;
import java.time.Instant;

/** One change to the NodeFaults of a node. */
sealed interface Edit {
  /** The fault stands. */
  record Raise(NodeFaultSpec fault, Instant seen) implements Edit {}

  /** The fault is over: its sign has gone away. */
  record Clear(String fault, String by) implements Edit {}
}
