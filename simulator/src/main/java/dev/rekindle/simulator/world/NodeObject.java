package dev.rekindle.simulator.world;

import dev.rekindle.controller.cluster.NodeView;
import dev.rekindle.controller.cluster.NodeView.Readiness;
import dev.rekindle.simulator.NodeSetup;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;
import java.time.Instant;
import java.util.Map;

/**
 * A node.
 *
 * @param meta metadata
 * @param setup what it has
 * @param readiness condition Ready
 * @param since when that condition last changed
 * @param unschedulable whether it is cordoned
 * @param fencedBy mark of ours, empty when it does not carry it
 */
public record NodeObject(
    Meta meta,
    NodeSetup setup,
    Readiness readiness,
    Instant since,
    boolean unschedulable,
    String fencedBy)
    implements ApiObject<NodeObject> {
  /** Label that tells the leaf. */
  public static final String LEAF = "topology.rekindle.dev/leaf";

  static NodeObject draft(NodeSetup setup, Instant now) {
    return new NodeObject(Meta.draft("", setup.name(), ""), setup, Readiness.READY, now, false, "");
  }

  @Override
  public NodeObject with(Meta newMeta) {
    return new NodeObject(newMeta, setup, readiness, since, unschedulable, fencedBy);
  }

  NodeObject with(Readiness newReadiness, Instant now) {
    return new NodeObject(
        meta,
        setup,
        newReadiness,
        newReadiness == readiness ? since : now,
        unschedulable,
        fencedBy);
  }

  /** The same, cordoned or not, and whose mark it carries. */
  public NodeObject cordoned(boolean value, String by) {
    return new NodeObject(meta, setup, readiness, since, value, by);
  }

  /** What the controller keeps of it. */
  public NodeView view() {
    return new NodeView(
        meta.name(),
        meta.name(),
        readiness,
        since,
        unschedulable,
        false,
        fencedBy,
        setup.gpus(),
        Map.of(LEAF, setup.leaf()));
  }
}
