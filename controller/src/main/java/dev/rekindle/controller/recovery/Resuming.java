package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.SOON;
import static dev.rekindle.controller.recovery.Transitions.attemptId;
import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.end;
import static dev.rekindle.controller.recovery.Transitions.enter;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.checkpoint.CheckpointChoice;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.placement.Exclusions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Resuming a drained gang: one write patches the templates and un-suspends the job. */
final class Resuming {
  private Resuming() {}

  /** Un-suspends the job, and leads on once it is un-suspended as this attempt. */
  static Decision decide(RecoverySnapshot s, JobView job, Instant now) {
    if (!job.suspended() && job.attempt().equals(attemptId(s))) {
      return enter(s, RecoveryPhase.VERIFYING, "un-suspended as attempt " + attemptId(s), now);
    }
    if (!job.suspended()) {
      return end(s, RecoveryPhase.CANCELLED, "the job was resumed by its user", now);
    }
    Optional<String> outdated =
        Scaling.since(s, job).or(() -> noRoom(s, job)).or(() -> fitAgain(s));
    if (outdated.isPresent()) {
      // The job may be un-suspended already, and the view of it be older than that: a plan to go
      // back counts as carried out (seed 75087444).
      return enter(s, RecoveryPhase.PLANNING, outdated.get() + ": planned again", now);
    }
    Optional<Decision> tracked = Tracking.decide(s, now);
    if (tracked.isPresent()) {
      return tracked.get();
    }
    List<Effect> effects = new ArrayList<>(WarmSpares.all(s, job));
    effects.add(new Effect.Resume(order(s, job)));
    effects.add(new Effect.StopInspector());
    return new Decision.Act(effects, QuotaHold.after(s), SOON);
  }

  /**
   * The leader that has planned may be long dead, and others have taken the room (seed 94309775). A
   * gang that is resumed all the same holds the GPUs of those of its pods that find a place.
   */
  private static Optional<String> noRoom(RecoverySnapshot s, JobView job) {
    RecoveryStatus.Plan plan = plan(s);
    List<String> closed =
        Stream.concat(plan.excludedNodes().stream(), GangRoom.closedNodes(s).stream())
            .distinct()
            .toList();
    return GangRoom.missing(s, job, closed)
        .or(
            () ->
                Optional.ofNullable(plan.checkpoint())
                    .flatMap(pin -> CheckpointRoom.missing(s, job, pin, closed)))
        .map("there is no room any more: "::concat);
  }

  /** Where the call has failed for minutes, a node may have been repaired since the plan. */
  private static Optional<String> fitAgain(RecoverySnapshot s) {
    List<String> closed = GangRoom.closedNodes(s);
    List<String> fit =
        plan(s).excludedNodes().stream()
            .filter(n -> !closed.contains(n))
            .filter(n -> Exclusions.takesPods(s.nodes().get(n)))
            .toList();
    return fit.isEmpty()
        ? Optional.empty()
        : Optional.of("fit again: " + String.join(", ", fit.subList(0, Math.min(4, fit.size()))));
  }

  private static RecoveryStatus.Plan plan(RecoverySnapshot s) {
    return Objects.requireNonNull(status(s).plan());
  }

  private static ResumeOrder order(RecoverySnapshot s, JobView job) {
    RecoveryStatus.Plan plan = plan(s);
    // Kueue assigns no node that is cordoned, and what we wrote beside it could only contradict it.
    boolean places = !QueuedJob.isPlacedByKueue(job);
    PinnedCheckpoint pin = plan.checkpoint();
    boolean injects = pin != null && pin.verdict() == CheckpointVerdict.VALID && wantsEnv(s);
    List<String> planned = pin == null ? List.of() : pin.nodes();
    boolean forMaster = pin != null && isMasters(pin, s);
    if (planned.isEmpty()) {
      planned =
          GangRoom.masterSeat(s, job, plan.excludedNodes(), plan.avoidedNodes(), plan.keptNodes())
              .map(List::of)
              .orElse(List.of());
      forMaster = !planned.isEmpty();
    }
    return new ResumeOrder(
        s.recovery().name(),
        attemptId(s),
        places ? hostnames(Exclusions.named(plan.excludedNodes(), s.nodes()), s) : List.of(),
        places ? hostnames(Exclusions.named(plan.avoidedNodes(), s.nodes()), s) : List.of(),
        places ? plan.preferredTopology() : Map.of(),
        places ? hostnames(planned, s) : List.of(),
        forMaster,
        injects ? Objects.requireNonNull(pin).path() : null,
        injects ? Objects.requireNonNull(pin).step() : null,
        injects ? Objects.requireNonNull(pin).format() : "",
        cause(s).reason());
  }

  private static List<String> hostnames(List<String> nodes, RecoverySnapshot s) {
    return nodes.stream()
        .map(n -> Optional.ofNullable(s.nodes().get(n)).map(NodeView::hostname).orElse(n))
        .distinct()
        .toList();
  }

  /**
   * Whether what one node has is for rank 0 to load. Others of the gang would take its place there.
   */
  private static boolean isMasters(PinnedCheckpoint pin, RecoverySnapshot s) {
    return CheckpointChoice.isUnknown(pin)
        && pin.nodes().size() == 1
        && s.job() != null
        && s.job().replicas().stream().anyMatch(r -> r.type().equals(Replica.MASTER));
  }

  private static boolean wantsEnv(RecoverySnapshot s) {
    return s.job() != null && s.job().resumeByEnv();
  }
}
