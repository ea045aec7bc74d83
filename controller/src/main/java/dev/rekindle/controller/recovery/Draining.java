package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.attemptId;
import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/** Phase Draining of a rebuild: waits until the job is suspended and none of its pods exists. */
final class Draining {
  private static final Duration RECHECK = Duration.ofSeconds(1);

  private Draining() {}

  static Decision decide(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    Optional<Decision> learnt = CauseUpdates.learnFaults(s, now);
    if (learnt.isPresent()) {
      return learnt.get();
    }
    Plan plan = Objects.requireNonNull(status(s).plan());
    if (!job.suspended() && s.order() == null) {
      // Until it is stopped: nodes may be fenced again since the way was chosen (seed 72070676).
      RecoverySnapshot open = s.with(RecoveryStatusBuilder.withRestart(status(s), null, ""));
      Optional<Decision> held = Unplaceable.heldWhileItTrains(open, job, policy, now);
      if (held.isPresent()) {
        return held.get();
      }
    }
    if (plan.restart() == null) {
      return choose(s, job, policy, now);
    }
    if (InPlace.chosen(s)) {
      return Freezing.decide(s, job, policy, now);
    }
    String me = s.recovery().name();
    if (!job.suspended() && job.suspendedBy().equals(me)) {
      return Transitions.end(s, RecoveryPhase.CANCELLED, "the job was resumed by its user", now);
    }
    Optional<Decision> looking = RankInspection.decide(s, job, policy, now);
    if (looking.isPresent()) {
      return looking.get();
    }
    boolean suspended = job.suspended() && job.suspendedBy().equals(me);
    List<PodView> old = s.pods().stream().filter(p -> !p.attempt().equals(attemptId(s))).toList();
    boolean seen = suspended && job.suspensionSeen() && job.finish() != Finish.FAILED;
    if (seen && old.isEmpty() && s.drainConfirmed()) {
      String detail = "suspended, and no pod of the job exists";
      return new Decision.Move(
          RecoveryStatusBuilder.enter(status(s), RecoveryPhase.PLANNING, detail, now),
          List.of(new Decision.Note(Reason.GANG_DRAINED, detail, "")));
    }
    List<PodView> unreachable = old.stream().filter(p -> unreachable(s, p)).toList();
    Optional<Decision> learntSilence = learnSilence(s, unreachable, now);
    if (learntSilence.isPresent()) {
      return learntSilence.get();
    }
    if (unreachable.size() == old.size()) {
      Optional<Decision> inVain = AddressRelease.inVain(s, job, unreachable, now);
      if (inVain.isPresent()) {
        return inVain.get();
      }
    }
    List<Effect> effects = new ArrayList<>();
    if (seen || mayDeleteBeforeSeen(job)) {
      effects.addAll(
          deletions(
              old,
              unreachable,
              p ->
                  seen
                      && isProven(s, job, old, unreachable)
                      && isGraceOver(s, p, now)
                      && AddressRelease.mayForce(s, job, p, now),
              p -> AddressRelease.wantsShorterGrace(s, job, p),
              policy));
    }
    if (Planning.wantsInspector(s, job, now)) {
      effects.add(new Effect.StartInspector());
    }
    if (suspended && job.finish() == Finish.FAILED) {
      effects.add(new Effect.Revive());
    }
    if (!suspended) {
      List<Effect> hold = QuotaHold.before(s, job, now);
      if (!hold.isEmpty()) {
        return new Decision.Act(hold, List.of(new Effect.Suspend()), RECHECK);
      }
      // No pod is deleted of a job that the API server, or a webhook, does not let us suspend.
      return new Decision.Act(List.of(new Effect.Suspend()), effects, RECHECK);
    }
    if (!effects.isEmpty()) {
      return new Decision.Act(effects, RECHECK);
    }
    boolean overdue = Transitions.inPhase(s, now).compareTo(policy.drainTimeout()) > 0;
    Optional<EffectFailure> unlisted = s.failures().of(CallKind.LIST_PODS, now);
    if (seen && old.isEmpty() && unlisted.isPresent()) {
      EffectFailure failure = unlisted.get();
      return overdue || failure.lasts()
          ? Transitions.hold(s, failure.reason(), failure.describe(), now)
          : new Decision.Wait(failure.describe(), RECHECK);
    }
    String addresses = AddressRelease.waitingFor(s, job, unreachable);
    String waiting = !seen ? unseen(job) : addresses.isEmpty() ? waitingFor(job, old) : addresses;
    // The time in the phase begins again with the hold.
    boolean blocked =
        overdue || HoldReason.of(status(s)).filter(HoldReason.DRAIN_BLOCKED::equals).isPresent();
    return blocked
        ? Transitions.hold(s, HoldReason.DRAIN_BLOCKED, waiting, now)
        : new Decision.Wait(waiting, RECHECK);
  }

  private static Decision choose(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    RestartChoice.Choice choice = RestartChoice.choose(s, job, policy, now);
    String detail =
        choice.way() == RestartWay.IN_PLACE
            ? "restart in place: " + choice.reason()
            : "rebuild: " + choice.reason();
    RecoveryStatus chosen =
        RecoveryStatusBuilder.withDetail(
            RecoveryStatusBuilder.withGang(
                RecoveryStatusBuilder.withRestart(status(s), choice.way(), choice.reason()),
                job.gangSize()),
            detail,
            now);
    return choice.way() != RestartWay.IN_PLACE
        ? new Decision.Move(chosen, List.of())
        : ReplacementPlan.of(s, job, policy)
            .flatMap(
                r -> r.planned().map(p -> ReplacementPlan.stored(chosen, p, r.uncounted(), now)))
            .orElseGet(() -> new Decision.Move(chosen, List.of()));
  }

  /**
   * Whether pods may be deleted right after the suspension. A kubelet never shortens a grace period
   * under way, so who deletes first sets it: left to the operator, every pod gets all it requests.
   * Under Never the operator takes a running pod that is being deleted for a failure of the job,
   * unless it has seen the suspension, or has failed the job already.
   */
  private static boolean mayDeleteBeforeSeen(JobView job) {
    // Kueue suspends the job a moment after we have asked it to, and may not be there to do so.
    return job.finish() == Finish.FAILED
        || (!QueuedJob.isOne(job)
            && job.replicas().stream().noneMatch(r -> r.restart() == JobView.RestartPolicy.NEVER));
  }

  private static List<Effect> deletions(
      List<PodView> old,
      List<PodView> unreachable,
      Predicate<PodView> mayForce,
      Predicate<PodView> shorter,
      Policy policy) {
    boolean othersGone = unreachable.size() == old.size();
    List<Effect> effects = new ArrayList<>();
    for (PodView pod : old) {
      if (unreachable.contains(pod) && shorter.test(pod)) {
        effects.add(new Effect.DeletePod(pod.name(), pod.uid(), AddressRelease.GRACE));
      } else if (!pod.terminating()) {
        effects.add(new Effect.DeletePod(pod.name(), pod.uid(), grace(pod, policy)));
      } else if (othersGone && unreachable.contains(pod) && mayForce.test(pod)) {
        effects.add(new Effect.DeletePod(pod.name(), pod.uid(), Duration.ZERO));
      }
    }
    return effects;
  }

  /**
   * Whether what runs on nodes that do not answer can finish no step: a peer of theirs was seen to
   * end, or the nodes are proven off. A gang of which no pod could be drained may train on, cut off
   * from the API server.
   */
  private static boolean isProven(
      RecoverySnapshot s, JobView job, List<PodView> old, List<PodView> unreachable) {
    return old.size() < job.gangSize() || unreachable.stream().allMatch(p -> isOff(s, p));
  }

  /**
   * Whether a kubelet whose Node was deleted, and that lives, has ended the pod: by the clock of
   * the wall, which may step, and by the time in the phase, which counts from before the deletion.
   */
  private static boolean isGraceOver(RecoverySnapshot s, PodView pod, Instant now) {
    Instant deadline = pod.deletionDeadline();
    if (deadline == null || s.nodes().containsKey(pod.node())) {
      return true;
    }
    Long grace = Objects.requireNonNullElse(pod.deletionGraceSeconds(), 0L);
    return !now.isBefore(deadline.plus(RemovedAtOnce.KUBELET))
        && Transitions.inPhase(s, now).compareTo(RemovedAtOnce.KUBELET.plusSeconds(grace)) >= 0;
  }

  private static boolean isOff(RecoverySnapshot s, PodView pod) {
    NodeView node = s.nodes().get(pod.node());
    return node == null || node.outOfService();
  }

  /**
   * The gang is dead, so no pod needs longer than the cap; a second, not zero, so that the kubelet
   * confirms the end.
   */
  static Duration grace(PodView pod, Policy policy) {
    long wanted = Math.min(pod.graceSeconds(), policy.gracePeriodCap().toSeconds());
    return Duration.ofSeconds(Math.max(1, wanted));
  }

  private static String unseen(JobView job) {
    return QueuedJob.isOne(job)
        ? "Kueue has not suspended the job, or the operator has not seen it"
        : "the operator has not seen the suspension";
  }

  private static String waitingFor(JobView job, List<PodView> pods) {
    return pods.isEmpty()
        ? job.removedAtOnce()
            ? "its pods had no grace period, and kubelets may still end them"
            : "the API server still shows a pod"
        : pods.stream()
            .limit(4)
            .map(p -> "pod %s on node %s does not end".formatted(p.name(), p.node()))
            .reduce((a, b) -> a + "; " + b)
            .orElseThrow();
  }

  /**
   * A node whose kubelet cannot confirm the end of a pod. What else runs there is proven idle by
   * the drained rest.
   */
  private static boolean unreachable(RecoverySnapshot s, PodView pod) {
    if (pod.node().isEmpty()) {
      return false;
    }
    NodeView node = s.nodes().get(pod.node());
    return node == null || node.outOfService() || node.readiness() == NodeView.Readiness.SILENT;
  }

  private static Optional<Decision> learnSilence(
      RecoverySnapshot s, List<PodView> unreachable, Instant now) {
    List<String> fresh =
        unreachable.stream()
            .map(PodView::node)
            .distinct()
            .filter(n -> !cause(s).silentNodes().contains(n))
            .toList();
    if (fresh.isEmpty()) {
      return Optional.empty();
    }
    RecoveryStatus next = status(s).withCause(CauseUpdates.addSilent(cause(s), fresh));
    if (!CauseUpdates.addsNames(cause(s).silentNodes(), Transitions.cause(next).silentNodes())) {
      return Optional.empty();
    }
    String detail = "node %s does not answer".formatted(Names.of(fresh));
    return Optional.of(
        new Decision.Move(RecoveryStatusBuilder.withDetail(next, detail, now), List.of()));
  }
}
