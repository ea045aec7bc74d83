package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RollBack;
import dev.rekindle.api.Saves;
import dev.rekindle.controller.checkpoint.CheckpointChoice;
import dev.rekindle.controller.economics.SaveIntervals;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.placement.Placement;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Until there is room for the whole gang and a checkpoint is pinned. Nothing of the gang exists
 * meanwhile, so a wait for room holds no GPU and burns no attempt.
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
      return Transitions.end(s, RecoveryPhase.CANCELLED, "the job was resumed by its user", now);
    }
    List<String> excluded = GangRoom.closedNodes(s);
    Optional<String> missing = GangRoom.missing(s, job, excluded);
    boolean held = status(s).phase() == RecoveryPhase.HELD;
    if (held && HoldReason.of(status(s)).filter(HoldReason.CRASH_LOOP::equals).isPresent()) {
      // For a person: what is on the disk then is judged anew by the next recovery.
      return s.inspectorStarted() && s.failures().mayAsk(CallKind.STOP_INSPECTOR, now)
          ? new Decision.Act(List.of(new Effect.StopInspector()), Transitions.LATER)
          : new Decision.Wait("a person is to look at the job", Transitions.LATER);
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
    if (wantsInspector(s, job, now) || (unjudged && UnknownCheckpoints.asksAgain(s, job, now))) {
      return new Decision.Act(List.of(new Effect.StartInspector()), pause);
    }
    Optional<PinnedCheckpoint> judged = pin(s, job, policy, now);
    if (judged.isEmpty()) {
      return new Decision.Wait(UNREPORTED, pause);
    }
    Optional<String> barred =
        UnknownCheckpoints.barred(s, job, judged.get())
            .or(() -> CheckpointRoom.missing(s, job, judged.get(), excluded));
    if (barred.isPresent()) {
      return Transitions.hold(s, HoldReason.CHECKPOINT_UNKNOWN, barred.get(), now);
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
                    .saves(saves(s))
                    .gangSize(job.gangSize()));
    return new Decision.Move(
        RecoveryStatusBuilder.enter(
            status(s).withPlan(plan), RecoveryPhase.RESUMING, describe(pin), now),
        notes(pin, loop));
  }

  /** The events of a pin. */
  static List<Decision.Note> notes(PinnedCheckpoint pin, CrashLoop loop) {
    Decision.Note pinned = note(pin);
    return loop.goesBackTo(pin)
        ? List.of(new Decision.Note(Reason.CHECKPOINT_REJECTED, loop.describe(), ""), pinned)
        : List.of(pinned);
  }

  /** How the job saves, by the scan that the pin is taken from. */
  static @Nullable Saves saves(RecoverySnapshot s) {
    return s.inspection() instanceof Inspection.Report report
        ? SaveIntervals.of(report.checkpoints()).orElse(null)
        : null;
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
    if (wantsInspector(s, job, now)) {
      return new Decision.Act(List.of(new Effect.StartInspector()), pause(s, policy, now));
    }
    Optional<PinnedCheckpoint> judged = pin(s, job, policy, now);
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
    return InPlace.planned(s, job, pin, describe(pin), now);
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

  private static Optional<PinnedCheckpoint> pin(
      RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    if (job.checkpointDir().isEmpty()) {
      return Optional.of(
          CheckpointChoice.unknown(
              "annotation rekindle.dev/checkpoint does not say where they live"));
    }
    return switch (s.inspection()) {
      case Inspection.Report report when afterDrain(s, report) ->
          Optional.of(choose(s, job, report));
      case Inspection.Report report -> giveUp(s, policy, now, stopped(s, report));
      case Inspection.Pending(String detail) ->
          giveUp(
              s,
              policy,
              now,
              s.failures()
                  .of(CallKind.START_INSPECTOR, now)
                  .map(EffectFailure::describe)
                  .orElse(detail));
      case Inspection.Absent _ -> giveUp(s, policy, now, "there is none");
      case Inspection.Unable(String reason, boolean _) ->
          Optional.of(CheckpointChoice.unknown(reason));
    };
  }

  /**
   * The newest valid one, or what the script has asked to go back to: once, as an attempt that went
   * back has made checkpoints of its own since. A script that takes no checkpoint cannot be sent
   * back.
   */
  private static PinnedCheckpoint choose(
      RecoverySnapshot s, JobView job, Inspection.Report report) {
    Optional<RollBack> done = rollBack(status(s));
    List<RollBack> all = Stream.concat(s.rollBacks().stream(), done.stream()).toList();
    boolean given =
        job.resumeByEnv() || Tracking.follows(job, CheckpointChoice.from(report, null, all));
    Long before = given && done.isEmpty() ? cause(s).beforeStep() : null;
    PinnedCheckpoint newest = CheckpointChoice.from(report, before, all);
    CrashLoop loop = CrashLoop.of(s);
    PinnedCheckpoint pin = given ? unspent(newest, report, all, loop) : newest;
    boolean wantsBack = cause(s).beforeStep() != null || pinIsSpent(pin, loop);
    String message =
        wantsBack && !given
            ? pin.message() + "; rekindle.dev/resume is none, so the script cannot be sent back"
            : pin.message();
    return new PinnedCheckpoint(
        pin.verdict(),
        pin.path(),
        pin.step(),
        pin.level(),
        message,
        pin.rollBack() == null ? done.orElse(null) : pin.rollBack(),
        pin.format(),
        pin.nodes());
  }

  /** The newest one that the job has not failed from too often; where there is none, the newest. */
  private static PinnedCheckpoint unspent(
      PinnedCheckpoint newest, Inspection.Report report, List<RollBack> all, CrashLoop loop) {
    PinnedCheckpoint pin = newest;
    while (pinIsSpent(pin, loop)) {
      long step = Objects.requireNonNull(pin.step());
      PinnedCheckpoint older = CheckpointChoice.from(report, step, all);
      Long back = older.step();
      if (back == null || back >= step) {
        return newest;
      }
      pin = older;
    }
    return pin;
  }

  private static boolean pinIsSpent(PinnedCheckpoint pin, CrashLoop loop) {
    Long step = pin.step();
    return step != null && loop.isSpent(step);
  }

  /** The same with nothing pinned. */
  static RecoverySnapshot unpinned(RecoverySnapshot s) {
    Plan plan = Objects.requireNonNull(status(s).plan());
    return s.with(status(s).withPlan(plan.withCheckpoint(null)));
  }

  /** What a recovery has given up on purpose. */
  static Optional<RollBack> rollBack(RecoveryStatus status) {
    return Optional.ofNullable(status.plan()).map(Plan::checkpoint).map(PinnedCheckpoint::rollBack);
  }

  /**
   * Whether the scan began after the last pod was gone. The newest report at that moment may have
   * begun before, the one after it may have been under way; the next began later for sure.
   */
  private static boolean afterDrain(RecoverySnapshot s, Inspection.Report report) {
    return s.scanFloor() != null && report.scan() >= s.scanFloor() + 2;
  }

  private static String stopped(RecoverySnapshot s, Inspection.Report report) {
    return s.scanFloor() == null
        ? "its newest scan is number %d, and may have begun before the last pod was gone"
            .formatted(report.scan())
        : "its newest scan is number %d, and number %d is the first after the last pod was gone"
            .formatted(report.scan(), s.scanFloor() + 2);
  }

  private static Optional<PinnedCheckpoint> giveUp(
      RecoverySnapshot s, Policy policy, Instant now, String detail) {
    return Transitions.inPhase(s, now).compareTo(policy.inspect()) < 0
        ? Optional.empty()
        : Optional.of(
            CheckpointChoice.unknown(
                "the inspector did not report within %d s (%s)"
                    .formatted(policy.inspect().toSeconds(), detail)));
  }

  private static String describe(PinnedCheckpoint pin) {
    return pin.verdict() == CheckpointVerdict.VALID
        ? "resume from %s (step %d, %s): %s"
            .formatted(pin.path(), pin.step(), pin.level(), pin.message())
        : pin.message();
  }

  static Decision.Note note(PinnedCheckpoint pin) {
    Reason reason =
        pin.verdict() == CheckpointVerdict.VALID
            ? Reason.CHECKPOINT_PINNED
            : Reason.CHECKPOINT_UNKNOWN;
    return new Decision.Note(reason, describe(pin), "");
  }
}
