package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.PolicyObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 47: a pod is removed by force only where its node does not answer or is gone, and each
 * process that is asked to end gets the grace period that it requests, up to the cap of the policy;
 * also where its Node was deleted while it answered: the kubelet may still run, and end it. Bound:
 * a node that has answered again for {@link #UNDER_WAY} counts as one that answers. Why: the
 * process of an object that was removed by force may still run, and a process that is killed too
 * early leaves half a checkpoint.
 */
final class Grace extends Check {
  private final Policy policy;

  private final NodeAbsences absences;

  /** Nodes that were deleted while they answered, and are not there again. */
  private final Set<String> deletedAlive = new HashSet<>();

  /** When nodes were last not Ready. */
  private final Map<String, Instant> silent = new HashMap<>();

  /** When the policy was last edited, deleted or applied again. */
  private @Nullable Instant edited;

  Grace(World world, Invariants all, Policy policy) {
    super(world, all, Invariant.GRACE);
    this.policy = policy;
    absences = new NodeAbsences(world, this);
    world.nodes().watch(this::nodeChanged);
    world.policies().watch(this::policyChanged);
  }

  private void nodeChanged(Change<NodeObject> change) {
    NodeObject after = change.after();
    NodeObject before = change.before();
    if (after != null) {
      deletedAlive.remove(change.key());
      if (after.readiness() != Readiness.READY) {
        silent.put(change.key(), now());
      }
    } else if (before != null
        && before.readiness() == Readiness.READY
        && (!silent.containsKey(change.key()) || longAgo(silent.get(change.key())))) {
      deletedAlive.add(change.key());
    }
  }

  private void policyChanged(Change<PolicyObject> change) {
    if (change.before() == null
        || change.after() == null
        || !change.before().policy().equals(change.after().policy())) {
      edited = now();
    }
  }

  @Override
  public void deleted(PodObject pod, Duration grace) {
    String node = pod.node();
    if (node.isEmpty()) {
      return;
    }
    long wanted = Math.max(1, Math.min(pod.graceSeconds(), policy.gracePeriodCap().toSeconds()));
    Instant deadline = pod.meta().deletionDeadline();
    boolean ends = deadline == null || now().isBefore(deadline);
    // A grace period ends by the clock of the wall (seed 2922).
    if (grace.isZero() && ends && !clocksWereWrong() && deletedAlive.contains(node)) {
      broken(
          "pod %s is removed by force before its grace period is over at %s; Node %s was deleted, and had answered"
              .formatted(pod.meta().name(), deadline, node));
    } else if (grace.isZero() && absences.isLongReady(node)) {
      broken("pod %s is removed by force, and node %s answers".formatted(pod.meta().name(), node));
    } else if (!grace.isZero()
        && grace.toSeconds() != wanted
        && absences.isLongReady(node)
        && isInForce()) {
      broken(
          "pod %s gets %d s to end, and asks for %d; the policy allows %d"
              .formatted(
                  pod.meta().name(),
                  grace.toSeconds(),
                  pod.graceSeconds(),
                  policy.gracePeriodCap().toSeconds()));
    }
  }

  /** Where there is no policy its defaults hold. */
  private boolean isInForce() {
    return world.policies().find("default").isPresent() && (edited == null || longAgo(edited));
  }
}
