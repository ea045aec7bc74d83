package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.Labels;
import dev.rekindle.controller.model.NodeRoom;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.detect.node.ConditionReading;
import dev.rekindle.detect.node.NodeOwner;
import dev.rekindle.detect.node.NodeSigns;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.setup.NodeSetup;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A node.
 *
 * @param meta metadata
 * @param setup what it has
 * @param readiness condition Ready
 * @param since when that condition last changed
 * @param unschedulable whether it is cordoned
 * @param fencedBy Rekindle mark, empty when it does not carry it
 * @param conditions conditions that others keep on it
 * @param bootId the boot that its kubelet reports
 * @param bootSince when its kubelet first did
 * @param approved the fault for which a person approves a fence, else empty
 * @param incidents our annotation of that name
 * @param fencedFor our annotation of that name
 * @param stalls our annotation of that name
 * @param lemon whether it carries our label of that name
 * @param forgiven whether a person has taken our record of incidents off it
 * @param owner the other component that works on it; absent when there is none
 * @param devices the devices in its status
 */
@RecordBuilder
public record NodeObject(
    Meta meta,
    NodeSetup setup,
    Readiness readiness,
    Instant since,
    boolean unschedulable,
    String fencedBy,
    List<ConditionReading> conditions,
    String bootId,
    Instant bootSince,
    String approved,
    String incidents,
    String fencedFor,
    String stalls,
    boolean lemon,
    boolean forgiven,
    @Nullable NodeOwner owner,
    NodeDevices devices)
    implements ApiObject<NodeObject>, NodeObjectBuilder.With {
  /** Label that names the leaf. */
  public static final String LEAF = "topology.rekindle.dev/leaf";

  /** As its kubelet registers it. */
  static NodeObject draft(NodeSetup setup, String bootId, Readiness readiness, Instant now) {
    return new NodeObject(
        Meta.draft("", setup.name(), ""),
        setup,
        readiness,
        now,
        false,
        "",
        List.of(),
        bootId,
        now,
        "",
        "",
        "",
        "",
        false,
        false,
        null,
        NodeDevices.all(setup.gpus()));
  }

  @Override
  public NodeObject with(Meta newMeta) {
    return withMeta(newMeta);
  }

  NodeObject with(Readiness newReadiness, Instant now) {
    return with(b -> b.readiness(newReadiness).since(newReadiness == readiness ? since : now));
  }

  /** The same, in the boot that its kubelet reports. */
  NodeObject booted(String id, Instant now) {
    return with(b -> b.bootId(id).bootSince(id.equals(bootId) ? bootSince : now));
  }

  /** The same, cordoned or not, and whose mark it carries. */
  public NodeObject cordoned(boolean value, String by) {
    return with(b -> b.unschedulable(value).fencedBy(by));
  }

  /** The same with that condition, in place of the one of its type. */
  NodeObject with(ConditionReading condition) {
    List<ConditionReading> next = new ArrayList<>(conditions);
    next.removeIf(c -> c.type().equals(condition.type()));
    next.add(condition);
    return withConditions(List.copyOf(next));
  }

  /** GPUs that pods may request on it. */
  public int offered() {
    return devices.offered();
  }

  private Map<String, String> labels() {
    Map<String, String> labels = new HashMap<>(setup.labels());
    labels.put(LEAF, setup.leaf());
    if (lemon) {
      labels.put(Labels.LEMON, "true");
    }
    return labels;
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
        devices.offered(),
        labels(),
        new NodeSigns(conditions, devices.shortfalls(), devices.sick(), owner),
        bootId,
        bootSince,
        approved,
        null,
        incidents,
        fencedFor,
        stalls,
        meta.uid(),
        setup.taints().isEmpty() ? NodeRoom.UNKNOWN : new NodeRoom(Amounts.NONE, setup.taints()),
        meta.created());
  }
}
