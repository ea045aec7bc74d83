package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.attemptId;
import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.StallFinding;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.placement.Exclusions;
import dev.rekindle.controller.recovery.Decision.Note;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A restart in place: the agents freeze the whole gang, pods on fenced nodes are replaced, the
 * checkpoint is pinned, then the rank that serves the rendezvous is killed and after it all others.
 * Whatever does not confirm in its time ends in a rebuild by the same recovery.
 *
 * <p>Guarantees: no container is killed, and no pod deleted, before every agent has confirmed the
 * freeze; no rank but the leader before the old leader is confirmed dead.
 *
 * <p>What the script is given. Most are given nothing and find their newest checkpoint. One that a
 * rebuild has given one is given another, before it is killed ({@link PinAnnotations}).
 */
final class InPlace {
  static final Duration RECHECK = Duration.ofSeconds(1);

  static final String ORDER_GONE = "the order to the agents is gone";

  private InPlace() {}

  /** Whether this attempt restarts in place. */
  static boolean chosen(RecoverySnapshot s) {
    return plan(s).restart() == RestartWay.IN_PLACE;
  }

  /** The decision, unless something has ruled the restart in place out. */
  static Decision unlessGivenUp(RecoverySnapshot s, JobView job, Instant now, Decision otherwise) {
    return givenUp(s, job, now).orElse(otherwise);
  }

  /** Checks that the pin is what an unchanged script would take by itself. */
  static Decision planned(
      RecoverySnapshot s, JobView job, PinnedCheckpoint pin, String described, Instant now) {
    Optional<Decision> given = givenUp(s, job, now);
    if (given.isPresent()) {
      return given.get();
    }
    Optional<String> other = PinAnnotations.otherThan(pin, s, job, generation(s));
    if (other.isPresent()) {
      return rebuild(s, other.get(), now);
    }
    Plan old = plan(s);
    Plan plan =
        old.with(
            b ->
                b.excludedNodes(Exclusions.of(cause(s), s.nodes(), s.faults()))
                    .preferredTopology(Map.of())
                    .checkpoint(pin)
                    .saves(CheckpointPin.saves(s)));
    return new Decision.Move(
        RecoveryStatusBuilder.enter(
            status(s).withPlan(plan), RecoveryPhase.RESUMING, described, now),
        CheckpointPin.notes(pin, CrashLoop.of(s)));
  }

  /** Kills the leader, then the others, and waits until each runs again. */
  static Decision resume(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    Optional<Decision> given = givenUp(s, job, now);
    if (given.isPresent()) {
      return given.get();
    }
    Generation generation = generation(s).orElse(null);
    if (generation == null) {
      return rebuild(s, ORDER_GONE, now);
    }
    List<PodView> unheard = unheard(s, generation);
    if (!unheard.isEmpty()) {
      // All were confirmed frozen before: a list that is behind lacks a report, and proves nothing.
      String what = "no report on " + names(unheard);
      return overdue(s, policy.kubeletRestart(), now)
          ? rebuild(s, what, now)
          : new Decision.Wait(what, soon(s, policy.kubeletRestart(), now));
    }
    Optional<String> limit = InPlaceObstacles.passesLimit(s, job, generation);
    if (limit.isPresent()) {
      return rebuild(s, limit.get(), now);
    }
    Optional<PodView> leader = RestartOrders.leader(s);
    Optional<Decision> annotated = PinAnnotations.resume(s, job, policy, generation, now);
    if (annotated.isPresent()) {
      return annotated.get();
    }
    boolean leaderDead = leader.filter(p -> dead(p, generation)).isPresent();
    RestartInstruction next =
        leaderDead ? RestartInstruction.RESTART_ALL : RestartInstruction.RESTART_LEADER;
    if (generation.order().spec().instruction().compareTo(next) < 0) {
      return new Decision.Act(
          List.of(RestartOrders.order(s, job, policy, next, now), new Effect.StopInspector()),
          RECHECK);
    }
    List<PodView> waiting = s.pods().stream().filter(p -> !generation.has(p)).toList();
    if (leaderDead && waiting.isEmpty()) {
      String detail =
          "%d containers restarted in place as attempt %s"
              .formatted(
                  s.pods().stream().filter(p -> generation.reported(p).isPresent()).count(),
                  attemptId(s));
      return new Decision.Move(
          RecoveryStatusBuilder.enter(status(s), RecoveryPhase.VERIFYING, detail, now),
          List.of(new Note(Reason.JOB_RESTARTED_IN_PLACE, detail, "")));
    }
    String what =
        leaderDead
            ? "not restarted yet: " + names(waiting)
            : "the old leader is not confirmed dead: " + leader.map(PodView::name).orElse("");
    Duration bound = leaderDead ? policy.kubeletRestart() : policy.freeze(job.gangSize());
    return overdue(s, bound, now)
        ? rebuild(s, what, now)
        : new Decision.Wait(what, soon(s, bound, now));
  }

  /**
   * Pods of the old generation that no report speaks of: it is not known what their processes do.
   */
  static List<PodView> unheard(RecoverySnapshot s, Generation generation) {
    return s.pods().stream()
        .filter(p -> !p.node().isEmpty() && p.live())
        .filter(p -> generation.reported(p).isEmpty() && !generation.isYoung(p))
        .toList();
  }

  /** Who belongs to this attempt; empty when the order is not known. */
  static Optional<Generation> generation(RecoverySnapshot s) {
    return Optional.ofNullable(s.order())
        .map(order -> Generation.of(order, NodeReports.of(s.pods(), s.reports())));
  }

  /**
   * Goes on as a rebuild. What is frozen stays so until its pod is deleted, and what agents have
   * found of a stall so far is kept, and so is what new containers have made of their checkpoint.
   */
  static Decision rebuild(RecoverySnapshot s, String why, Instant now) {
    Optional<StallFinding> stall = StallFindings.soFar(s);
    RecoverySnapshot kept =
        ResumeCheck.restartGivenUp(stall.map(found -> StallFindings.kept(s, found)).orElse(s), now);
    List<Note> notes = new ArrayList<>(List.of(new Note(Reason.FALLBACK_TO_REBUILD, why, "")));
    stall.map(StallFindings::note).ifPresent(notes::add);
    return new Decision.Move(
        RecoveryStatusBuilder.enter(
            RecoveryStatusBuilder.withRestart(
                PlannedRollBack.orNot(kept), RestartWay.REBUILD, "not in place after all: " + why),
            RecoveryPhase.DRAINING,
            "rebuild instead of in place: " + why,
            now),
        notes);
  }

  /** A leader that no report speaks of is not proven dead, unless it was made after the order. */
  private static boolean dead(PodView leader, Generation generation) {
    return generation
        .reported(leader)
        .map(p -> p.state() == State.KILLED || p.state() == State.RESTARTED)
        .orElseGet(() -> generation.isYoung(leader));
  }

  /** The rebuild instead, where something rules the restart in place out. */
  static Optional<Decision> givenUp(RecoverySnapshot s, JobView job, Instant now) {
    return InPlaceObstacles.find(s, job).map(why -> rebuild(s, why, now));
  }

  static boolean overdue(RecoverySnapshot s, Duration bound, Instant now) {
    return Transitions.inPhase(s, now).compareTo(bound) > 0;
  }

  /** What changes is shown by a watch; only the end of the time is not. */
  static Duration soon(RecoverySnapshot s, Duration bound, Instant now) {
    Duration left = bound.minus(Transitions.inPhase(s, now)).plusMillis(50);
    return left.compareTo(Transitions.LATER) > 0 ? Transitions.LATER : left;
  }

  static String names(List<PodView> pods) {
    String first =
        pods.stream()
            .map(p -> "%s on %s".formatted(p.name(), p.node()))
            .sorted()
            .limit(4)
            .reduce((a, b) -> a + ", " + b)
            .orElse("");
    return pods.size() > 4 ? first + " and %d more".formatted(pods.size() - 4) : first;
  }

  static Plan plan(RecoverySnapshot s) {
    return Objects.requireNonNull(status(s).plan());
  }
}
