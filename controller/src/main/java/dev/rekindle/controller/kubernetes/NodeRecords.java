package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.Labels;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeIncidentHistory;
import java.time.Instant;

/** Writes on nodes what recoveries have found of them. */
final class NodeRecords {
  private final NodePatches patches;

  NodeRecords(NodePatches patches) {
    this.patches = patches;
  }

  /** Writes down that a recovery blames the node, unless that is known. */
  void recordIncident(String name, String by, Instant at) {
    patches.change(
        name,
        seen -> true,
        found -> found.filter(node -> node.was(at)).ifPresent(node -> tryBlame(node, by, at)));
  }

  private void tryBlame(NodeTarget node, String by, Instant at) {
    NodeIncidentHistory before = NodeIncidentHistory.parse(node.incidents());
    NodeIncidentHistory after = before.and(at, by);
    if (!after.equals(before)) {
      patches.mark(node, Annotations.INCIDENTS, after.format());
    }
  }

  /** Writes down that a stall waited for a rank on the node, unless that is known. */
  void recordStall(String name, NamedStalls.Entry stall) {
    patches.change(
        name,
        seen -> true,
        found ->
            found.filter(node -> node.was(stall.at())).ifPresent(node -> tryStall(node, stall)));
  }

  private void tryStall(NodeTarget node, NamedStalls.Entry stall) {
    String after = NamedStalls.parse(node.stalls()).and(stall).format();
    if (!after.equals(node.stalls())) {
      patches.mark(node, Annotations.STALLS, after);
    }
  }

  /** Puts the label of a lemon on the node, or takes it off. */
  void markLemon(String name, boolean lemon) {
    patches.label(name, Labels.LEMON, lemon ? "true" : null);
  }
}
