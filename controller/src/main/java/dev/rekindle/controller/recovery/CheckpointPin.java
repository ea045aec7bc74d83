package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
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
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which checkpoint a plan pins, by a scan of the inspector that began after the drain. */
final class CheckpointPin {
  private CheckpointPin() {}

  /** What is pinned; empty while the inspector is waited for. */
  static Optional<PinnedCheckpoint> of(
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

  /** Whether the inspector reports, and the scan that counts is one of its next. */
  static boolean isSoonJudged(RecoverySnapshot s) {
    return s.inspection() instanceof Inspection.Report report && !afterDrain(s, report);
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

  static String describe(PinnedCheckpoint pin) {
    return pin.verdict() == CheckpointVerdict.VALID
        ? "resume from %s (step %d, %s): %s"
            .formatted(pin.path(), pin.step(), pin.level(), pin.message())
        : pin.message();
  }

  private static Decision.Note note(PinnedCheckpoint pin) {
    Reason reason =
        pin.verdict() == CheckpointVerdict.VALID
            ? Reason.CHECKPOINT_PINNED
            : Reason.CHECKPOINT_UNKNOWN;
    return new Decision.Note(reason, describe(pin), "");
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
}
