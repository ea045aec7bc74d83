package dev.rekindle.simulator.chaos;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FenceQuota;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.weigh.Assessment;
import dev.rekindle.detect.weigh.Weigher;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A node with an active hardware fault is fenced within 90 s of calm, if a job that opted in, or
 * the policy, allows it and the breaker has a free slot. A released node may occupy a slot for a
 * minute: no watch has shown yet that the slot is free.
 */
final class MustFence extends Check {
  private static final Duration BOUND = Duration.ofSeconds(90);
  private static final Duration REMEMBERED = Duration.ofMinutes(10);

  private final Policy policy;
  private final Answers answers;
  private final Evidence evidence;
  private final Breaker breaker;
  private final Overdue overdue = new Overdue(this);
  private Instant exchanged = Instant.EPOCH;

  MustFence(
      World world,
      Invariants all,
      Policy policy,
      Answers answers,
      Evidence evidence,
      Breaker breaker) {
    super(world, all, Invariant.MUST_FENCE);
    this.policy = policy;
    this.answers = answers;
    this.evidence = evidence;
    this.breaker = breaker;
    world.nodes().watch(this::nodeChanged);
  }

  private void nodeChanged(Change<NodeObject> change) {
    if (change.after() == null) {
      exchanged = now();
    }
  }

  @Override
  void look() {
    if (answers.refusedForGood(Call.CORDON)
        || world.policies().find("default").filter(p -> p.policy().paused()).isPresent()) {
      overdue.endAll();
      return;
    }
    for (NodeObject node : world.nodes().all()) {
      String name = node.meta().name();
      Optional<FaultObject> fault = fault(node);
      if (node.unschedulable()
          || node.owner() != null
          || fault.isEmpty()
          || !lets(node, fault.get())
          || !breaker.hasPlace(node)) {
        overdue.end(name);
      } else if (overdue.lasts(name, BOUND)) {
        broken(
            "node %s is not fenced for %s since %s"
                .formatted(name, fault.get().meta().name(), overdue.since(name)));
      }
    }
  }

  @Override
  boolean isWaiting() {
    return !overdue.isEmpty();
  }

  private Optional<FaultObject> fault(NodeObject node) {
    for (FaultObject fault : world.faults().all()) {
      if (fault.view().node().equals(node.meta().name())
          && evidence.stands(fault)
          && (fault.view().fence() == FenceGuidance.ALWAYS
              || evidence.isShown(fault.view())
              || weighs(node, fault.view()))) {
        return Optional.of(fault);
      }
    }
    return Optional.empty();
  }

  /**
   * Whether the records say, by the thresholds of the policy, that it is the hardware's. A reboot
   * is another matter: what was not fenced before it may not be after it. A leader whose clock is
   * behind takes a burst for one that continues, and weighs it later (seed 10628).
   */
  private boolean weighs(NodeObject node, FaultView fault) {
    if (clocksWereWrong()
        || !fault.bootId().equals(node.bootId())
        || !fault.bootId().equals(world.machine(node.meta().name()).bootId())) {
      return false;
    }
    List<FaultView> here = new ArrayList<>();
    List<FaultView> elsewhere = new ArrayList<>();
    for (FaultObject other : world.faults().all()) {
      FaultView view = other.view();
      if (view.node().equals(fault.node())) {
        if (view.isOf(node.view())) {
          here.add(view);
        }
      } else if (view.code().equals(fault.code())) {
        elsewhere.add(view);
      }
    }
    Assessment weight = Weigher.ofNodes(policy.thresholds()).weigh(fault, here, elsewhere, now());
    return weight.fences() && withinQuota(fault, weight) && !remembers(weight);
  }

  /**
   * A Node that is gone has taken along what it was fenced for; who fenced it remembers that for a
   * while (seed 85005847).
   */
  private boolean remembers(Assessment weight) {
    return !weight.namespaces().isEmpty() && exchanged.plus(REMEMBERED).isAfter(now());
  }

  private boolean withinQuota(FaultView fault, Assessment weight) {
    List<NodeView> nodes = world.nodes().list().stream().map(NodeObject::view).toList();
    return new FenceQuota(
            weight.namespaces(), FenceQuota.fenced(nodes, now()), policy.maxFencedPerNamespace())
        .passed(fault.node(), Map.of())
        .isEmpty();
  }

  /** The furthest that anybody on the node, or the policy for all nodes with GPUs, lets one go. */
  private boolean lets(NodeObject node, FaultObject fault) {
    Mode most = policy.fenceScope() == Policy.FenceScope.GPU_NODES ? policy.mode() : Mode.OBSERVE;
    for (PodObject pod : world.pods().list("spec.nodeName", node.meta().name())) {
      JobObject job = world.jobs().find(pod.job().toString()).orElse(null);
      if (pod.live()
          && job != null
          && job.meta().uid().equals(pod.meta().owner())
          && job.status().finish() == Finish.NOT_FINISHED) {
        Mode asked = mode(job).map(m -> lower(m, policy.mode())).orElse(Mode.OBSERVE);
        most = asked.compareTo(most) > 0 ? asked : most;
      }
    }
    return most == Mode.AUTO
        || (most == Mode.APPROVE && node.approved().equals(fault.meta().name()));
  }

  private static Mode lower(Mode a, Mode b) {
    return a.compareTo(b) <= 0 ? a : b;
  }
}
