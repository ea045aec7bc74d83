package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.placement.Placement;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Phase Planning: waits until there is room for the whole gang, and pins a checkpoint. In a rebuild
 * no pod of the gang exists meanwhile, so waiting for room holds no GPU and uses up no attempt.
 */
final class Planning {
  /** The inspector is read so soon again at first, and so late at most; each read is two calls. */
  private static final Duration SOON = Duration.ofMillis(150);

  private static final Duration LATE = Duration.ofSeconds(2);

  /** Of the time that it has been waited for so far: no recovery waits longer by more than that. */
  private static final int SHARE = 8;

  /**
   * A kubelet takes two to four seconds to end a process whose pod was removed by force (measured
   * on the testbed).
   */
  private static final Duration LINGERS = Duration.ofSeconds(5);

  private static final String HOW_TO_GO_ON =
      "; the job stays suspended: set spec.runPolicy.suspend to false to let its script decide";

  private static final String UNREPORTED = "the checkpoint inspector has not reported yet";

  private Planning() {}

  static Decision decide(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    if (InPlace.chosen(s)) {
      return inPlace(s, job, policy, now);
    }
    if (!job.suspended()) {
      return job.attempt().equals(Transitions.attemptId(s))
          ? alreadyResumed(s, job, now)
          : Transitions.end(s, RecoveryPhase.CANCELLED, "the job was resumed by its user", now);
    }
    List<String> excluded = GangRoom.closedNodes(s);
    boolean held = status(s).phase() == RecoveryPhase.HELD;
    // That a volume with checkpoints is away is said as such, so its nodes count at the end.
    Optional<String> missing =
        held && isFor(s, HoldReason.NO_CAPACITY)
            ? GangRoom.missing(s, job, excluded)
            : GangRoom.missingBesideVolumes(s, job, excluded);
    if (held && isFor(s, HoldReason.CRASH_LOOP)) {
      // For a person: what is on the disk then is judged again by the next recovery.
      return s.inspectorStarted() && s.failures().mayAsk(CallKind.STOP_INSPECTOR, now)
          ? new Decision.Act(List.of(new Effect.StopInspector()), Transitions.LATER)
          : new Decision.Wait("a person has to check the job", Transitions.LATER);
    }
    if (missing.isPresent()) {
      // The wait may be a long one: the inspector scans again when it is over.
      return held && s.inspectorStarted() && s.failures().mayAsk(CallKind.STOP_INSPECTOR, now)
          ? new Decision.Act(List.of(new Effect.StopInspector()), Transitions.LATER)
          : Transitions.hold(s, HoldReason.NO_CAPACITY, missing.get(), now);
    }
    boolean unjudged = UnknownCheckpoints.held(s);
    Duration pause = unjudged ? Transitions.LATER : pause(s, policy, now);
    if (held && !unjudged) {
      return Transitions.enter(s, RecoveryPhase.PLANNING, "there is room for the gang", now);
    }
    if (unjudged
        && UnknownCheckpoints.isBack(s, excluded)
        && s.failures().mayAsk(CallKind.STOP_INSPECTOR, now)) {
      // The next one is put on that node too.
      return new Decision.Act(List.of(new Effect.StopInspector()), pause);
    }
    if (unjudged && s.inspection() instanceof Inspection.Unable) {
      // Why it waits may be another reason by now, as the inspector is requested again and again.
      Optional<Decision> said =
          CheckpointPin.of(s, job, policy, now)
              .flatMap(pin -> UnknownCheckpoints.barred(s, job, pin))
              .map(why -> Transitions.hold(s, HoldReason.CHECKPOINT_UNKNOWN, why, now))
              .filter(Decision.Move.class::isInstance);
      if (said.isPresent()) {
        return said.get();
      }
    }
    if (wantsInspector(s, job, now) || (unjudged && UnknownCheckpoints.asksAgain(s, job, now))) {
      return new Decision.Act(List.of(new Effect.StartInspector()), pause);
    }
    Optional<PinnedCheckpoint> judged = CheckpointPin.of(s, job, policy, now);
    if (judged.isEmpty()) {
      return new Decision.Wait(UNREPORTED, pause);
    }
    Optional<String> barred =
        UnknownCheckpoints.barred(s, job, judged.get())
            .or(() -> CheckpointRoom.missing(s, job, judged.get(), excluded));
    if (unjudged && CheckpointPin.isSoonJudged(s)) {
      return new Decision.Wait(UNREPORTED, pause);
    }
    if (barred.isPresent()) {
      return Transitions.hold(s, HoldReason.CHECKPOINT_UNKNOWN, barred.get(), now);
    }
    if (unjudged && !UnknownCheckpoints.mayEnd(s, job)) {
      return Transitions.hold(
          s, HoldReason.CHECKPOINT_UNKNOWN, UnknownCheckpoints.unheard(judged.get()), now);
    }
    CrashLoop loop = CrashLoop.of(s);
    Optional<String> hopeless = loop.bars(judged.get());
    if (hopeless.isPresent()) {
      return Transitions.hold(s, HoldReason.CRASH_LOOP, hopeless.get() + HOW_TO_GO_ON, now);
    }
    if (unjudged) {
      return Transitions.enter(
          s, RecoveryPhase.PLANNING, "what to resume from can be decided", now);
    }
    Optional<String> beyond = GangRoom.missing(s, job, excluded);
    if (beyond.isPresent()) {
      return Transitions.hold(s, HoldReason.NO_CAPACITY, beyond.get(), now);
    }
    PinnedCheckpoint pin = UnknownCheckpoints.left(judged.get());
    Duration lingers = LINGERS.minus(Transitions.inPhase(s, now));
    if (lingers.isPositive() && mayLinger(s)) {
      return new Decision.Wait(
          "processes on a node that may just have woken up, or still runs, end", lingers);
    }
    Plan old = Objects.requireNonNull(status(s).plan());
    List<String> kept = old.keptNodes().stream().filter(n -> !excluded.contains(n)).toList();
    Map<String, List<String>> near = Placement.preferred(policy, kept, s.nodes());
    Plan plan =
        old.with(
            b ->
                b.excludedNodes(excluded)
                    .avoidedNodes(avoided(s, job, excluded, kept))
                    .keptNodes(kept)
                    .preferredTopology(near)
                    .checkpoint(pin)
                    .tracker(null)
                    .saves(CheckpointPin.saves(s))
                    .gangSize(job.gangSize()));
    return new Decision.Move(
        RecoveryStatusBuilder.enter(
            status(s).withPlan(plan), RecoveryPhase.RESUMING, CheckpointPin.describe(pin), now),
        CheckpointPin.notes(pin, loop));
  }

  private static boolean isFor(RecoverySnapshot s, HoldReason reason) {
    return HoldReason.of(status(s)).filter(reason::equals).isPresent();
  }

  /** It was planned again from a view that was older than its resumption. */
  private static Decision alreadyResumed(RecoverySnapshot s, JobView job, Instant now) {
    Plan plan = Objects.requireNonNull(status(s).plan()).withGangSize(job.gangSize());
    return Transitions.enter(
        s.with(status(s).withPlan(plan)),
        RecoveryPhase.RESUMING,
        "un-suspended already, as attempt " + Transitions.attemptId(s),
        now);
  }

  private static List<String> avoided(
      RecoverySnapshot s, JobView job, List<String> excluded, List<String> kept) {
    return Stream.concat(
            Avoidance.of(s).stream(), GangRoom.crowded(s, job, excluded, kept).stream())
        .filter(n -> !excluded.contains(n))
        .distinct()
        .sorted()
        .toList();
  }

  private static Decision inPlace(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    if (s.order() == null) {
      // Its job named no policy for a while, say: the agents have thawed what they froze.
      return InPlace.rebuild(s, InPlace.ORDER_GONE, now);
    }
    // Nothing has been killed yet; its pod would be started again on a faulty node.
    Optional<Decision> learnt = CauseUpdates.learnFaults(s, now);
    if (learnt.isPresent()) {
      return learnt.get();
    }
    if (wantsInspector(s, job, now)) {
      return new Decision.Act(List.of(new Effect.StartInspector()), pause(s, policy, now));
    }
    Optional<PinnedCheckpoint> judged = CheckpointPin.of(s, job, policy, now);
    Optional<String> barred =
        judged.flatMap(p -> UnknownCheckpoints.barred(s, job, p).or(() -> CrashLoop.of(s).bars(p)));
    if (judged.isEmpty() || barred.isPresent()) {
      return InPlace.unlessGivenUp(
          s,
          job,
          now,
          barred.isPresent()
              ? InPlace.rebuild(s, barred.get(), now)
              : new Decision.Wait(UNREPORTED, pause(s, policy, now)));
    }
    PinnedCheckpoint pin = UnknownCheckpoints.left(judged.get());
    return InPlace.planned(s, job, pin, CheckpointPin.describe(pin), now);
  }

  /**
   * Until the inspector is read again: an eighth of the time that this recovery has waited, as a
   * hundred jobs of one broken switch wait for slow file systems side by side.
   */
  private static Duration pause(RecoverySnapshot s, Policy policy, Instant now) {
    Duration waited = Transitions.inPhase(s, now);
    return Stream.of(waited.dividedBy(SHARE), LATE, policy.inspect().minus(waited))
        .min(Comparator.naturalOrder())
        .filter(pause -> pause.compareTo(SOON) > 0)
        .orElse(SOON);
  }

  /** Whether the inspector is to be started now: never a reason to wait longer than for it. */
  static boolean wantsInspector(RecoverySnapshot s, JobView job, Instant now) {
    return !job.checkpointDir().isEmpty()
        && !s.inspectorStarted()
        && s.failures().mayAsk(CallKind.START_INSPECTOR, now);
  }

  /**
   * A node may wake up in the moment in which its pod is removed because it does not answer. A Node
   * that is deleted says nothing of its machine, which may run on.
   */
  private static boolean mayLinger(RecoverySnapshot s) {
    return cause(s).silentNodes().stream()
        .map(s.nodes()::get)
        .anyMatch(node -> node == null || !node.outOfService());
  }
}
