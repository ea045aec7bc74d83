package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.StallFinding;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.placement.Exclusions;
import dev.rekindle.controller.placement.Replacements;
import dev.rekindle.controller.recovery.Decision.Note;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The first half of a restart in place: agents freeze the gang, and pods on excluded nodes are
 * replaced. What they find of a stall on the way is kept before anything is killed.
 */
final class Freezing {
  private static final String ORDER_UNSEEN = "no order to the agents is seen";

  /** So old is a replacement when it is deleted as well. */
  private static final Duration DELETED_AGAIN = Duration.ofSeconds(10);

  private Freezing() {}

  /**
   * Freezes the gang and replaces the pods on excluded nodes. Leads on when all of the old
   * generation is frozen or gone and every replacement has a place.
   */
  static Decision decide(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    Optional<Decision> given = InPlace.givenUp(s, job, now);
    if (given.isPresent()) {
      return given.get();
    }
    Duration freeze = takes(s, job, policy);
    Duration bound = freeze.plus(policy.replacement());
    List<Effect> effects = new ArrayList<>();
    if (s.order() == null) {
      if (InPlace.overdue(s, bound, now)) {
        return InPlace.rebuild(s, ORDER_UNSEEN, now);
      }
      effects.add(RestartOrders.order(s, job, policy, RestartInstruction.FREEZE, now));
      ReplacementPlan.preference(s, job, now).ifPresent(effects::add);
      if (InPlace.plan(s).placement() != null && !StallFindings.wanted(s)) {
        // It ends while the gang freezes. A stalled gang may yet be left alone.
        effects.addAll(WarmSpares.released(s, job));
      }
    }
    if (Planning.wantsInspector(s, job, now)) {
      effects.add(new Effect.StartInspector());
    }
    if (!effects.isEmpty()) {
      return new Decision.Act(effects, InPlace.RECHECK);
    }
    Generation generation = InPlace.generation(s).orElseThrow();
    List<PodView> open = InPlace.unheard(s, generation);
    if (!open.isEmpty()) {
      return InPlace.overdue(s, freeze, now)
          ? InPlace.rebuild(s, "not confirmed frozen: " + InPlace.names(open), now)
          : new Decision.Wait(
              "the agents freeze " + InPlace.names(open), InPlace.soon(s, freeze, now));
    }
    List<PodView> leaving = leaving(s);
    List<Effect> deletions =
        leaving.stream()
            .filter(p -> !p.terminating())
            .<Effect>map(p -> new Effect.DeletePod(p.name(), p.uid(), Draining.grace(p, policy)))
            .toList();
    Optional<StallFinding> stall =
        Optional.ofNullable(cause(s).stall()).or(() -> StallFindings.of(s));
    if (stall.isPresent()
        && cause(s).stall() == null
        && StallFindings.leftAlone(s, job, stall.get(), policy, now)) {
      // The order is withdrawn with the recovery's end, and the agents thaw the gang.
      return StallFindings.cancelled(s, stall.get(), now);
    }
    if (!deletions.isEmpty() && stall.isPresent() && cause(s).stall() == null) {
      // What the ranks showed is written down before the first of them goes.
      return RankInspection.keep(s, stall.get(), now);
    }
    Optional<String> assigned = RestartChoice.ofKueue(s, job);
    if (!deletions.isEmpty() && assigned.isPresent()) {
      // The node was lost after the way was chosen.
      return InPlace.rebuild(s, assigned.get(), now);
    }
    if (!deletions.isEmpty() && ReplacementPlan.isOutdated(s)) {
      return planAnew(s, job, policy, now);
    }
    Optional<Decision> again = cameBack(s, job, generation, leaving, bound, now);
    if (again.isPresent()) {
      return again.get();
    }
    if (!deletions.isEmpty() && job.templateNamesCheckpoint()) {
      return new Decision.Act(List.of(new Effect.ClearResume()), InPlace.RECHECK);
    }
    if (!deletions.isEmpty()) {
      return replace(s, job, deletions, freeze, now);
    }
    Optional<String> missing = missing(s, job, leaving);
    if (missing.isPresent()) {
      return InPlace.overdue(s, bound, now)
          ? InPlace.rebuild(s, missing.get(), now)
          : new Decision.Wait(missing.get(), InPlace.soon(s, bound, now));
    }
    RecoverySnapshot found = stall.map(f -> StallFindings.kept(s, f)).orElse(s);
    Optional<String> elsewhere = Avoidance.insteadOfInPlace(found, job);
    if (elsewhere.isPresent()) {
      return InPlace.rebuild(s, elsewhere.get(), now);
    }
    String detail =
        describeFrozen(s, generation)
            + stall.filter(StallFinding::named).map(StallFindings::awaited).orElse("");
    List<Note> notes = new ArrayList<>(List.of(new Note(Reason.GANG_FROZEN, detail, "")));
    if (cause(s).stall() == null) {
      stall.map(StallFindings::note).ifPresent(notes::add);
    }
    RecoveryStatus counted =
        RecoveryStatusBuilder.withRestart(
            status(found), RestartWay.IN_PLACE, RestartChoice.inPlace(staying(s, generation), job));
    RecoveryStatus placed = staying(s, generation) == s.pods().size() ? unplaced(counted) : counted;
    return new Decision.Move(
        RecoveryStatusBuilder.enter(placed, RecoveryPhase.PLANNING, detail, now), notes);
  }

  /**
   * What follows for a replacement that is on an excluded node: the node is not cordoned, and what
   * was to take the pod elsewhere is refused, or gives way. It is deleted, but not as often as the
   * operator makes another one, and for no longer than replacements may take: a rebuild keeps pods
   * off by a required affinity. Where the job has opted out, that ends the recovery.
   */
  private static Optional<Decision> cameBack(
      RecoverySnapshot s,
      JobView job,
      Generation generation,
      List<PodView> leaving,
      Duration bound,
      Instant now) {
    return leaving.stream()
        .filter(p -> !p.terminating() && generation.isYoung(p))
        .max(Comparator.comparing(PodView::created))
        .flatMap(
            pod -> {
              String what =
                  "replacement %s came to node %s, which is faulty"
                      .formatted(pod.name(), pod.node());
              if (!job.handsOff().isEmpty() || InPlace.overdue(s, bound, now)) {
                return Optional.of(InPlace.rebuild(s, what, now));
              }
              Duration left = DELETED_AGAIN.minus(Duration.between(pod.created(), now));
              return left.isPositive()
                  ? Optional.of(
                      new Decision.Wait(
                          what, left.compareTo(DELETED_AGAIN) < 0 ? left : DELETED_AGAIN))
                  : Optional.empty();
            });
  }

  /** The fault for which a pod was to leave is gone, and it has stayed. */
  private static RecoveryStatus unplaced(RecoveryStatus status) {
    return status.withPlan(Objects.requireNonNull(status.plan()).withPlacement(null));
  }

  /**
   * Deletes the pods that leave once the warm spares of the planned nodes have ended: a replacement
   * that is created before goes elsewhere. Waits for no spare that cannot be removed.
   */
  private static Decision replace(
      RecoverySnapshot s, JobView job, List<Effect> deletions, Duration freeze, Instant now) {
    List<Effect> spares = WarmSpares.released(s, job);
    Optional<String> ending = WarmSpares.ending(s, job);
    List<Effect> before = new ArrayList<>(spares);
    ReplacementPlan.preference(s, job, now).ifPresent(before::add);
    boolean waits =
        !InPlace.overdue(s, freeze, now)
            && s.failures().of(CallKind.RELEASE_SPARE, now).isEmpty()
            && !(spares.isEmpty() && ending.isEmpty());
    if (!waits) {
      return before.isEmpty()
          ? new Decision.Act(deletions, InPlace.RECHECK)
          : new Decision.Act(before, deletions, InPlace.RECHECK);
    }
    return before.isEmpty()
        ? new Decision.Wait(ending.orElseThrow(), InPlace.soon(s, freeze, now))
        : new Decision.Act(before, InPlace.RECHECK);
  }

  /**
   * More nodes are lost than were planned for, or a planned one takes pods no more. How many pods
   * stay is counted again when the gang is whole.
   */
  private static Decision planAnew(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    Replacements.Result result = ReplacementPlan.of(s, job, policy).orElseThrow();
    return result
        .planned()
        .<Decision>map(
            p ->
                ReplacementPlan.stored(
                    status(s), ReplacementPlan.withMade(s, p), result.uncounted(), now))
        .orElseGet(() -> InPlace.rebuild(s, result.missing(), now));
  }

  /** How long the agents may take until all is frozen; they inspect a stalled gang before. */
  static Duration takes(RecoverySnapshot s, JobView job, Policy policy) {
    Duration freeze = policy.freeze(job.gangSize());
    return StallFindings.wanted(s) ? freeze.plus(RankEvidence.LIMIT) : freeze;
  }

  /** Pods to be replaced: on an excluded node, or being deleted, as their node may be fit again. */
  private static List<PodView> leaving(RecoverySnapshot s) {
    List<String> excluded = Exclusions.of(cause(s), s.nodes(), s.faults());
    return s.pods().stream().filter(p -> p.terminating() || excluded.contains(p.node())).toList();
  }

  private static Optional<String> missing(RecoverySnapshot s, JobView job, List<PodView> leaving) {
    if (!leaving.isEmpty()) {
      return Optional.of("being replaced: " + InPlace.names(leaving));
    }
    if (!Scaling.isWhole(s, job)) {
      return Optional.of("%d of %d pods are there".formatted(s.pods().size(), job.gangSize()));
    }
    return s.pods().stream()
        .filter(p -> p.node().isEmpty())
        .findFirst()
        .map(
            p ->
                "no place for the replacement %s%s"
                    .formatted(p.name(), p.failure() == null ? "" : ": " + p.failure().message()))
        .or(() -> AddressRelease.unaddressed(s, job));
  }

  /** How many pods the agents have frozen that are not replaced. */
  private static long staying(RecoverySnapshot s, Generation generation) {
    return s.pods().stream().filter(p -> generation.reported(p).isPresent()).count();
  }

  private static String describeFrozen(RecoverySnapshot s, Generation generation) {
    List<String> replaced =
        s.pods().stream()
            .filter(p -> generation.reported(p).isEmpty())
            .map(p -> "%s now on %s%s".formatted(p.name(), p.node(), ReplacementPlan.instead(s, p)))
            .sorted()
            .limit(4)
            .toList();
    return "%d pods frozen%s"
        .formatted(
            staying(s, generation),
            replaced.isEmpty() ? "" : ", replaced: " + String.join(", ", replaced));
  }
}
