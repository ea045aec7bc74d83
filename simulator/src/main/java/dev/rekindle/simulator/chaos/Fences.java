package dev.rekindle.simulator.chaos;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Placing and lifting fences. Bound of each: {@link #UNDER_WAY} for earlier decisions.
 *
 * <ul>
 *   <li>Invariant 4: no more nodes are fenced than the breaker allows, in all and in each pool.
 *       Why: a wrong rule must not take a cluster down.
 *   <li>Invariant 5: a node is never fenced without evidence of a hardware fault. Why: programs
 *       crash far more often than GPUs do.
 *   <li>Invariant 6: we lift only our own fences. Why: a person who cordons a node has a reason.
 *   <li>Invariant 13: a fence is lifted only with proof that the fault is gone: never for silence,
 *       nor for a reboot after two in vain. Why: a node that is still broken breaks the next job.
 *   <li>Invariant 15: with {@code lemons: fence} only a person lifts the fence of a node that
 *       failed again and again.
 * </ul>
 */
final class Fences extends Check {
  private final Policy policy;
  private final Evidence evidence;
  private final Breaker breaker;
  private final Set<String> ours = new HashSet<>();

  /** Since when nodes are lemons. */
  private final Map<String, Instant> lemons = new HashMap<>();

  /**
   * By node, the boots that its kubelet has reported, in turn, and whether it was Ready in them.
   */
  private final Map<String, Map<String, Boolean>> boots = new HashMap<>();

  Fences(World world, Invariants all, Policy policy, Evidence evidence, Breaker breaker) {
    super(world, all, Invariant.PROVEN_GONE);
    this.policy = policy;
    this.evidence = evidence;
    this.breaker = breaker;
    world.nodes().watch(this::nodeChanged);
  }

  private void nodeChanged(Change<NodeObject> change) {
    NodeObject after = change.after();
    if (after != null) {
      boots
          .computeIfAbsent(change.key(), _ -> new LinkedHashMap<>())
          .merge(after.bootId(), after.readiness() == Readiness.READY, Boolean::logicalOr);
    }
    if (after != null && !after.fencedBy().isEmpty() && now().equals(Loop.T0)) {
      // Before the run began.
      ours.add(change.key());
    }
    if (after != null && lemon(after)) {
      lemons.putIfAbsent(after.meta().name(), now());
    } else {
      lemons.remove(change.key());
    }
  }

  private boolean lemon(NodeObject node) {
    return NodeIncidentHistory.lemon(node.incidents(), now());
  }

  /** Whether only a person may lift its fence. */
  boolean kept(NodeObject node) {
    return isKeptLemon(node) || isStubborn(node.meta().name());
  }

  private boolean isKeptLemon(NodeObject node) {
    return policy.fenceLemons() && lemon(node);
  }

  private boolean isStubborn(String node) {
    for (FaultObject fault : world.faults().all()) {
      if (fault.view().node().equals(node) && evidence.isStubborn(fault)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void cordoned(NodeObject before, String by) {
    String name = before.meta().name();
    ours.add(name);
    breaker
        .passed(before)
        .ifPresent(
            how -> broken(Invariant.BREAKER, "%s fences node %s, %s".formatted(by, name, how)));
    if (!evidence.faulty(name) && !evidence.mayLookFlaky(name)) {
      broken(
          Invariant.HARDWARE_WITNESS,
          "%s fences node %s, which has no fault of its hardware".formatted(by, name));
    }
  }

  @Override
  public void released(NodeObject before) {
    String node = before.meta().name();
    if (before.fencedBy().isEmpty() || !ours.remove(node)) {
      broken(Invariant.ONLY_OUR_FENCES, "node %s was released".formatted(node));
    }
    if (isKeptLemon(before) && longAgo(lemons.get(node))) {
      broken(Invariant.LEMONS, "node %s is released, and is a lemon".formatted(node));
    }
    for (FaultObject fault : world.faults().all()) {
      if (fault.view().node().equals(node) && evidence.stands(fault) && evidence.wellKnown(fault)) {
        broken("node %s is released while %s stands".formatted(node, fault.view().code()));
      } else if (fault.view().node().equals(node)
          && evidence.isStubborn(fault)
          && longAgo(fault.view().lastSeen())) {
        broken(
            "node %s is released for a reboot that has cleared %s, which came back after two"
                .formatted(node, fault.view().code()));
      } else if (fault.view().node().equals(node)
          && fault.view().active()
          && fault.view().isOf(before.view())
          && fault.view().fence() == FenceGuidance.ALWAYS
          && evidence.wellKnown(fault)
          && neverReadySince(before, fault.view().bootId())) {
        broken(
            "node %s is released for a reboot that should have repaired %s, and was not Ready since"
                .formatted(node, fault.view().code()));
      }
    }
  }

  /** Whether the node was started after that boot, as far as is known, but is yet to be Ready. */
  private boolean neverReadySince(NodeObject node, String boot) {
    boolean after = false;
    boolean ready = false;
    for (var other : boots.getOrDefault(node.meta().name(), Map.of()).entrySet()) {
      ready |= after && other.getValue();
      after |= other.getKey().equals(boot);
    }
    return after && !ready && !node.bootId().equals(boot);
  }
}
