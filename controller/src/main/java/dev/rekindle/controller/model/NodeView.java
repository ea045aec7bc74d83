package dev.rekindle.controller.model;

import dev.rekindle.detect.node.NodeOwner;
import dev.rekindle.detect.node.NodeSigns;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the controller keeps of a node.
 *
 * @param name node name
 * @param hostname value of label {@code kubernetes.io/hostname}, the name when the label is missing
 * @param readiness condition Ready
 * @param readinessSince when that condition last changed
 * @param unschedulable whether the node is cordoned, by anybody
 * @param outOfService whether it carries taint {@code node.kubernetes.io/out-of-service}: proven to
 *     be off
 * @param fencedBy the recovery named by our mark, empty when the node does not carry it
 * @param gpus GPUs that pods may request on it ({@code status.allocatable})
 * @param labels all labels
 * @param signs what else it shows: conditions, devices held back, who else is at work on it
 * @param bootId the boot that its kubelet reports, empty when it reports none
 * @param bootSince when its kubelet was first seen to report that boot, by the node's clock; absent
 *     when it has no time
 * @param approvedFault the NodeFault for which a person approved a fence of the node, else empty
 * @param approvedAt when they did, by the clock of the API server; absent where it does not say
 * @param incidents what the node was fenced or blamed for lately, as our annotation on it has it;
 *     empty when nothing is written there
 * @param fencedFor the namespaces for whose programs alone the node was fenced lately, as our
 *     annotation on it has them; empty when nothing is written there
 * @param stalls the stalls that lately waited for a rank on the node, as our annotation on it has
 *     them; empty when nothing is written there
 * @param uid UID of the object; another one under the same name is another node
 * @param room what it offers to pods
 * @param created when the object was created, by the clock of the API server, in whole seconds; a
 *     machine that comes back under the name of another is younger than the pods of that one.
 *     Absent when it is not known
 */
@RecordBuilder
public record NodeView(
    String name,
    String hostname,
    Readiness readiness,
    @Nullable Instant readinessSince,
    boolean unschedulable,
    boolean outOfService,
    String fencedBy,
    long gpus,
    Map<String, String> labels,
    NodeSigns signs,
    String bootId,
    @Nullable Instant bootSince,
    String approvedFault,
    @Nullable Instant approvedAt,
    String incidents,
    String fencedFor,
    String stalls,
    String uid,
    NodeRoom room,
    @Nullable Instant created)
    implements NodeViewBuilder.With {
  /** Condition Ready of a node. */
  public enum Readiness {
    READY,
    /** The kubelet says that it is not ready. */
    NOT_READY,
    /** The kubelet no longer says anything. */
    SILENT
  }

  public NodeView {
    labels = Map.copyOf(labels);
  }

  /** Whether it has GPUs, also while its device plugin is away and pods may request none. */
  public boolean hasGpus() {
    return gpus > 0 || signs.shortfalls().stream().anyMatch(s -> s.resource().endsWith("/gpu"));
  }

  /** The same with the start of this boot, where an earlier view of it has that. */
  public NodeView after(NodeView before) {
    return before.bootSince == null || !before.bootId.equals(bootId)
        ? this
        : withBootSince(before.bootSince);
  }

  /**
   * Whether a person approves of a fence for that fault.
   *
   * @param good how long an approval is good
   */
  public boolean approves(FaultView fault, Duration good, Instant now) {
    return approvedFault.equals(fault.name()) && !approvalExpired(good, now);
  }

  /** Whether an approval is older than that. One without a time was always good. */
  public boolean approvalExpired(Duration good, Instant now) {
    return approvedAt != null && !now.isBefore(approvedAt.plus(good));
  }

  /** Who else is at work on it; absent when there is none. */
  public @Nullable NodeOwner owner() {
    return signs.owner();
  }

  /** Whether somebody else keeps new pods off it, by a cordon or by a taint. */
  public boolean keptOffByOthers() {
    NodeOwner owner = owner();
    return (unschedulable && !fencedByUs()) || (owner != null && owner.tainted());
  }

  /**
   * Whether it is left to somebody else: cordoned by them, or under their hands. Such a node is not
   * fenced by us again.
   */
  public boolean leftToOthers() {
    return (unschedulable && !fencedByUs()) || owner() != null;
  }

  /** To whom it is left, for people; empty when it is not. */
  public String leftTo() {
    NodeOwner owner = owner();
    if (!leftToOthers()) {
      return "";
    }
    return owner == null ? "the one who cordoned it" : owner.toString();
  }

  /** Whether the node carries our fence. */
  public boolean fencedByUs() {
    return !fencedBy.isEmpty();
  }

  /** Whether it is marked as one that had repeated incidents. */
  public boolean lemon() {
    return labels.containsKey(Labels.LEMON);
  }
}
