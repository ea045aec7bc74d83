package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.diagnosis.JobVerdicts;
import dev.rekindle.controller.diagnosis.Verdict;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.network.RdmaProof.Proof;
import dev.rekindle.controller.recovery.ResumeCheck.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The end of a recovery whose job requires RDMA ({@code rekindle.dev/require-rdma}): its gang is
 * whole and trains, and is not recovered before each rank is seen on RDMA.
 *
 * <ul>
 *   <li>Seen without RDMA: another attempt, off the nodes that show it, where there is room, and
 *       attempts, the budget and the maintenance windows allow it; else held, and the gang trains
 *       on.
 *   <li>Not known: two minutes for the lines to come, then held. No gang is stopped for that.
 * </ul>
 *
 * <p>What is held continues by itself: once all ranks are seen on RDMA, once the job requires it no
 * more, once there is room elsewhere, or as a failed attempt when something else befalls the gang;
 * the last two only where a gang that trains may be stopped.
 */
final class RequiredRdma {
  /** NCCL prints before the first step, and agents report within seconds. */
  static final Duration LINES = Duration.ofMinutes(2);

  private static final String TRAINS = "; the gang trains on meanwhile";

  private RequiredRdma() {}

  /** Whether a place for another attempt may be asked after: cheap, for a gang that comes up. */
  static boolean mayMove(JobView job, List<PodView> pods) {
    return job.requiresRdma()
        && pods.size() == job.gangSize()
        && pods.stream().allMatch(PodView::ready);
  }

  /** Whether the recovery is held for this. */
  static boolean isHeld(RecoverySnapshot s) {
    return HoldReason.of(status(s)).filter(HoldReason.RDMA_NOT_RESTORED::equals).isPresent();
  }

  /** What follows for a gang that is whole and trains. */
  sealed interface Outcome {
    /** It may count as recovered. */
    record Met() implements Outcome {}

    /** It is waited for, or held. */
    record Waits(Decision decision) implements Outcome {}

    /** The attempt is over. */
    record Fails(Failure failure) implements Outcome {}
  }

  static Outcome of(
      RecoverySnapshot s, JobView job, GangProgress progress, Policy policy, Instant now) {
    Optional<Proof> found =
        job.requiresRdma() ? RestoredNetwork.of(s, job, progress) : Optional.<Proof>empty();
    Proof proof = found.filter(p -> p.broken() || p.unknown()).orElse(null);
    if (proof == null) {
      return new Outcome.Met();
    }
    if (!job.handsOff().isEmpty()) {
      // Let go, and not recovered.
      return new Outcome.Fails(Failure.interrupted(proof.detail()));
    }
    Optional<String> kept = MaintenanceHold.keeps(s, job, policy, now);
    Optional<Failure> trouble = trouble(s, job, policy, now);
    if (trouble.isPresent()) {
      return kept.isEmpty()
          ? new Outcome.Fails(trouble.get())
          : new Outcome.Waits(hold(s, proof, trouble.get().why() + "; " + kept.get(), now));
    }
    if (proof.unknown()) {
      return new Outcome.Waits(forLines(s, proof, now));
    }
    Optional<String> stays = kept.or(() -> stays(s, job, proof, policy));
    return stays.isPresent()
        ? new Outcome.Waits(hold(s, proof, proof.detail() + "; " + stays.get() + TRAINS, now))
        : new Outcome.Fails(Failure.withoutRdma(proof));
  }

  /** A recovery that was held for it continues, with nothing known of the network. */
  static Decision released(RecoverySnapshot s, String why, Instant now) {
    return Transitions.enter(
        s.with(RecoveryStatusBuilder.withoutNetwork(status(s))), RecoveryPhase.VERIFYING, why, now);
  }

  /** Whether the gang was seen to train, and not known to be on RDMA. */
  static boolean awaitsLines(RecoverySnapshot s) {
    return RecoveryStatusBuilder.network(status(s))
        .filter(c -> "Unknown".equals(c.getStatus()))
        .isPresent();
  }

  /**
   * The same of a gang that is not whole any more, with nothing known of its network: containers
   * that start again have the time for their own lines. The time to start runs on.
   */
  static Decision forgotten(RecoverySnapshot s) {
    return new Decision.Move(RecoveryStatusBuilder.withoutNetwork(status(s)), List.of());
  }

  /** An open recovery keeps another one from being opened: its own eyes are all there is. */
  private static Optional<Failure> trouble(
      RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    JobSnapshot alone = new JobSnapshot(job, s.pods(), s.nodes(), s.faults(), s.ranks(), List.of());
    return JobVerdicts.decide(alone, policy, now) instanceof Verdict.Recover recover
        ? Optional.of(Failure.interrupted(recover.cause().message()))
        : Optional.empty();
  }

  /** The time runs from when the gang is first seen to train and not known to be on RDMA. */
  private static Decision forLines(RecoverySnapshot s, Proof proof, Instant now) {
    if (isHeld(s)) {
      return hold(s, proof, proof.detail() + TRAINS, now);
    }
    if (!awaitsLines(s)) {
      RecoveryStatus known = RecoveryStatusBuilder.withNetwork(status(s), proof, now);
      return new Decision.Move(
          RecoveryStatusBuilder.enter(
              known, RecoveryPhase.VERIFYING, "the gang trains; " + proof.detail(), now),
          List.of());
    }
    Duration left = LINES.minus(Transitions.inPhase(s, now));
    return left.isPositive()
        ? new Decision.Wait(
            proof.detail(), left.compareTo(Transitions.LATER) > 0 ? Transitions.LATER : left)
        : hold(s, proof, proof.detail() + TRAINS, now);
  }

  private static Decision hold(RecoverySnapshot s, Proof proof, String why, Instant now) {
    Decision held = Transitions.hold(s, HoldReason.RDMA_NOT_RESTORED, why, now);
    return held instanceof Decision.Move move
        ? new Decision.Move(
            RecoveryStatusBuilder.withNetwork(move.next(), proof, now), move.notes())
        : held;
  }

  /** Why no other attempt is made; empty where one is. */
  private static Optional<String> stays(
      RecoverySnapshot s, JobView job, Proof proof, Policy policy) {
    List<String> off = proof.nodes();
    long nodes = s.pods().stream().map(PodView::node).distinct().count();
    int attempt = status(s).attempt();
    if (off.size() > ResumeAttempt.MOST_NODES || (nodes > 1 && off.size() == nodes)) {
      return Optional.of(
          "%d of %d nodes show it, which no other node mends".formatted(off.size(), nodes));
    }
    if (QueuedJob.isPlacedByKueue(job)) {
      return Optional.of("Kueue chooses the nodes");
    }
    if (attempt >= policy.maxAttempts()) {
      return Optional.of("attempt %d is the last that the policy allows".formatted(attempt));
    }
    if (s.restarts() >= policy.maxRestarts()) {
      return Optional.of(
          "another restart would pass the budget: %d within %d s, maxRestarts is %d"
              .formatted(s.restarts(), policy.budgetWindow().toSeconds(), policy.maxRestarts()));
    }
    // Nor on the nodes of earlier attempts.
    List<String> all =
        Stream.concat(off.stream(), Avoidance.current(s).stream()).distinct().toList();
    return Avoidance.missingWithout(all, s, job).map(missing -> "no other place: " + missing);
  }

  /** What is to be known of an attempt that was ended for its network. */
  static Optional<Decision.Note> note(Failure failure) {
    Proof network = failure.network();
    return network == null
        ? Optional.empty()
        : Optional.of(
            new Decision.Note(Reason.RDMA_NOT_RESTORED, network.detail(), failure.node()));
  }
}
