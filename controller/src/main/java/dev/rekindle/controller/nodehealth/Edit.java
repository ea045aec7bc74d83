package dev.rekindle.controller.nodehealth;

import dev.rekindle.api.NodeFaultSpec;
import java.time.Instant;

/** One change to the NodeFaults of a node. */
sealed interface Edit {
  /** What is done, for people. */
  default String toPeople() {
    return switch (this) {
      case Raise(NodeFaultSpec fault, _, _) ->
          "write NodeFault %s of %s".formatted(fault.code(), fault.componentId());
      case Clear(String fault, _) -> "clear NodeFault " + fault;
    };
  }

  /**
   * The fault stands.
   *
   * @param author as {@link NodeSymptom#author()}
   */
  record Raise(NodeFaultSpec fault, String author, Instant seen) implements Edit {}

  /** The fault is over: its sign has gone away. */
  record Clear(String fault, String by) implements Edit {}
}
