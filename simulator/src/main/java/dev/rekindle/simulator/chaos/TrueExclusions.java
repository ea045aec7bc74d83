package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.StallFinding;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.detect.node.NodeOwner;
import dev.rekindle.detect.stall.StallClass;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Invariant 48: a restarted gang is kept off each node that its recovery blames for an active
 * fault, and off no healthy node. It prefers others to a node that was named for a stall of its
 * host or device, but not for a stall of the program or the network. Bound: {@link #UNDER_WAY} for
 * changes, and a replaced Node is not checked. Why: a gang that comes back to the faulty node fails
 * again, and a gang that is kept off healthy nodes cannot be scheduled.
 */
final class TrueExclusions extends Check {
  /** Classes of stalls that may be due to a node. */
  private static final Set<String> OF_A_NODE =
      Set.of(StallClass.HOST.word(), StallClass.DEVICE_OR_LINK.word());

  private final Evidence evidence;

  private final NodeAbsences absences;

  /** When others began to work on a node, or gave it back. */
  private final Map<String, Instant> others = new HashMap<>();

  /** When nodes began or ceased to take pods: a watch may show that later (seed 15706). */
  private final Map<String, Instant> opened = new HashMap<>();

  TrueExclusions(World world, Invariants all, Evidence evidence) {
    super(world, all, Invariant.TRUE_EXCLUSIONS);
    this.evidence = evidence;
    absences = new NodeAbsences(world, this);
    world.nodes().watch(this::nodeChanged);
  }

  private void nodeChanged(Change<NodeObject> change) {
    NodeObject before = change.before();
    NodeObject after = change.after();
    NodeOwner was = before == null ? null : before.owner();
    NodeOwner is = after == null ? null : after.owner();
    if (!Objects.equals(was, is)) {
      others.put(change.key(), now());
    }
    if (before == null || after == null || takesPods(before) != takesPods(after)) {
      opened.put(change.key(), now());
    }
  }

  /** Whether another component works on the node, or did a moment ago. */
  private boolean isOthers(String node) {
    Instant changed = others.get(node);
    return world.nodes().find(node).filter(n -> n.owner() != null).isPresent()
        || (changed != null && !longAgo(changed));
  }

  private static boolean takesPods(NodeObject node) {
    return node.readiness() == Readiness.READY && !node.unschedulable() && node.owner() == null;
  }

  /** A lemon stays cordoned, also when its last fault is over: no pod goes there (seed 28797). */
  private boolean isCordoned(String node) {
    return world.nodes().find(node).filter(NodeObject::unschedulable).isPresent();
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (!verb.equals("resume")) {
      return;
    }
    List<String> excluded = after.template().excluded();
    for (String node : excluded) {
      if (!evidence.faulty(node)
          && !evidence.mayLookFlaky(node)
          && !evidence.replacedLately(node)
          && !isOthers(node)
          && !isCordoned(node)
          && absences.isLongReady(node)) {
        broken(
            "recovery %s keeps job %s off node %s, with which nothing is wrong"
                .formatted(recovery, before.key(), node));
      }
    }
    RecoveryStatus status =
        world
            .recoveries()
            .find(before.key().namespace() + "/" + recovery)
            .map(RecoveryObject::status)
            .orElse(null);
    if (status == null || status.cause() == null) {
      return;
    }
    avoids(status.cause(), before, after, recovery);
    Instant planned = status.phaseSince();
    for (NodeObject node : world.nodes().all()) {
      String name = node.meta().name();
      if (planned != null
          && !clocksWereWrong()
          && before.queue().isEmpty()
          && takesPods(node)
          && (opened.get(name) == null || longAgo(opened.get(name)))
          && !excluded.contains(name)
          && evidence.knownFaulty(name, planned)) {
        broken(
            "recovery %s lets job %s go to node %s, which is faulty"
                .formatted(recovery, before.key(), name));
      }
    }
    for (String node : status.cause().faultyNodes()) {
      if (!excluded.contains(node) && evidence.knownFaulty(node, now())) {
        broken(
            "recovery %s blames node %s, and lets job %s go there again"
                .formatted(recovery, node, before.key()));
      }
    }
  }

  private void avoids(RecoveryStatus.Cause cause, JobObject job, JobObject after, String by) {
    StallFinding stall = cause.stall();
    if (stall == null || !stall.named()) {
      return;
    }
    boolean blamed = OF_A_NODE.contains(stall.stallClass());
    for (StallFinding.NamedRank named : stall.culprits()) {
      String node = named.node();
      boolean off =
          after.template().avoided().contains(node) || after.template().excluded().contains(node);
      if (!node.isEmpty() && blamed && !off) {
        broken(
            job.key(),
            "recovery %s names node %s for a stall (%s), and lets job %s go there again"
                .formatted(by, node, stall.stallClass(), job.key()));
      }
      if (!node.isEmpty() && !blamed && off && isOtherwiseGood(node, job)) {
        broken(
            job.key(),
            "recovery %s has job %s avoid node %s for a stall that is not the node's (%s)"
                .formatted(by, job.key(), node, stall.stallClass()));
      }
    }
  }

  /** Whether no recovery of the job has had anything to say of the node. */
  private boolean isOtherwiseGood(String node, JobObject job) {
    for (RecoveryObject recovery : world.recoveries().all()) {
      RecoveryStatus status = recovery.status();
      if (status == null || !recovery.spec().jobUid().equals(job.meta().uid())) {
        continue;
      }
      RecoveryStatus.Cause cause = status.cause();
      StallFinding stall = cause == null ? null : cause.stall();
      boolean blamed =
          stall != null
              && OF_A_NODE.contains(stall.stallClass())
              && stall.culprits().stream().anyMatch(named -> named.node().equals(node));
      if (blamed
          || (cause != null && cause.faultyNodes().contains(node))
          || (cause != null && cause.evidence().stream().anyMatch(e -> e.node().equals(node)))
          || status.resumes().stream()
              .anyMatch(a -> a.node().equals(node) || a.withoutRdma().contains(node))) {
        return false;
      }
    }
    return absences.isLongReady(node)
        && !isOthers(node)
        && !evidence.faulty(node)
        && !evidence.mayLookFlaky(node);
  }
}
