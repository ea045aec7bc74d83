package dev.rekindle.controller.diagnosis;

import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything a verdict on one node depends on, at one moment.
 *
 * @param node the node; absent when it does not exist
 * @param faults its faults, cleared ones too; each with the UUID of its GPU as far as any of them
 *     names it
 * @param elsewhere faults of other nodes with a code of those that a program can cause
 * @param tenants the jobs that have pods on it
 * @param fencedFor the nodes that were fenced lately for the programs of each namespace; known only
 *     where the node has a fault that programs can cause, or a stall waited for a rank on it
 */
public record NodeSnapshot(
    @Nullable NodeView node,
    List<FaultView> faults,
    List<FaultView> elsewhere,
    List<Tenant> tenants,
    Map<String, Set<String>> fencedFor) {
  /** One where no node was fenced lately. */
  public NodeSnapshot(
      @Nullable NodeView node,
      List<FaultView> faults,
      List<FaultView> elsewhere,
      List<Tenant> tenants) {
    this(node, faults, elsewhere, tenants, Map.of());
  }

  /**
   * A job with a pod on the node.
   *
   * @param job the job, ruled by its policy
   * @param policy what holds for it
   */
  public record Tenant(JobView job, Policy policy) {}

  public NodeSnapshot {
    faults = GpuUuids.named(faults);
    elsewhere = List.copyOf(elsewhere);
    tenants = List.copyOf(tenants);
    fencedFor = Map.copyOf(fencedFor);
  }
}
