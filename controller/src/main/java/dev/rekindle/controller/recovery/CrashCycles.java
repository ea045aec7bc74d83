package dev.rekindle.controller.recovery;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.controller.recovery.CrashLoop.Cycle;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the cycles of a {@link CrashLoop} from what recoveries of a job and a scan of its
 * checkpoints show. Pure.
 */
final class CrashCycles {
  /** Causes that the program, or what it has loaded, may be behind. */
  private static final Set<String> COUNTED =
      Set.of(
          CauseReason.POD_FAILED.word(),
          CauseReason.JOB_FAILED.word(),
          CauseReason.CONTAINER_ENDED.word(),
          CauseReason.CHECKPOINT_NOT_LOADED.word(),
          CauseReason.RESTART_ASKED.word(),
          CauseReason.LOSS_NOT_FINITE.word());

  private CrashCycles() {}

  /**
   * Reads recoveries of one job.
   *
   * @param recoveries oldest first, the present one last
   */
  static CrashLoop read(List<RecoveryStatus> recoveries) {
    List<Cycle> cycles = new ArrayList<>();
    List<ResumeAttempt> unpinned = new ArrayList<>();
    Long furthest = null;
    RecoveryStatus trained = null;
    boolean endedNotFinite = false;
    for (RecoveryStatus recovery : recoveries) {
      Cause cause = recovery.cause();
      if (cause == null) {
        continue;
      }
      // Steps with a loss of NaN are no progress, however many they are.
      Loss loss = cause.loss();
      boolean trains =
          !cause.reason().equals(Cause.LOSS_NOT_FINITE)
              && (loss == null ? !endedNotFinite : loss.notFinite() == 0);
      Long reached = trains ? cause.lastStep() : null;
      if (isFurther(reached, furthest)) {
        cycles.clear();
        unpinned.clear();
        furthest = reached;
      } else if (trained != null) {
        ofTrained(trained, cause).ifPresent(cycles::add);
      }
      for (ResumeAttempt attempt : recovery.resumes()) {
        // A job that saved a checkpoint had made its step, whether a report names that or not. A
        // second gang that starts over comes further than the first, and no further than the job
        // had been (seed 76089466).
        furthest = further(attempt.step(), furthest);
        if (!attempt.result().condemns() && isFurther(attempt.reached(), furthest)) {
          cycles.clear();
          unpinned.clear();
          furthest = attempt.reached();
        }
        ofAttempt(attempt).ifPresent(cycles::add);
        if (attempt.step() == null && attempt.result().failed()) {
          unpinned.add(attempt);
        }
      }
      if (recovery.phase() == RecoveryPhase.RECOVERED) {
        unpinned.clear();
      }
      endedNotFinite = hasEndedNotFinite(recovery);
      trained = isTrained(recovery) ? recovery : null;
      if (trained != null) {
        long from = Objects.requireNonNull(pinned(trained));
        cycles.replaceAll(cycle -> cycle.settledBy(from));
      }
    }
    return new CrashLoop(cycles, unpinned);
  }

  /** Whether it left the gang at work with a loss of NaN, and brought no other one up. */
  private static boolean hasEndedNotFinite(RecoveryStatus recovery) {
    return recovery.phase() == RecoveryPhase.FAILED
        && !recovery.resumes().isEmpty()
        && recovery.resumes().getLast().result() == ResumeResult.LOSS_NOT_FINITE;
  }

  private static boolean isFurther(@Nullable Long step, @Nullable Long furthest) {
    return step != null && (furthest == null || step > furthest);
  }

  private static @Nullable Long further(@Nullable Long step, @Nullable Long furthest) {
    return isFurther(step, furthest) ? step : furthest;
  }

  /** Whether it ended with the gang at work, from a checkpoint that it had pinned. */
  private static boolean isTrained(RecoveryStatus status) {
    return status.phase() == RecoveryPhase.RECOVERED && pinned(status) != null;
  }

  static @Nullable Long pinned(RecoveryStatus status) {
    Plan plan = status.plan();
    PinnedCheckpoint pin = plan == null ? null : plan.checkpoint();
    return pin == null || pin.verdict() != CheckpointVerdict.VALID ? null : pin.step();
  }

  /** A gang that a recovery had brought back, and that then failed for the next one's cause. */
  private static Optional<Cycle> ofTrained(RecoveryStatus trained, Cause cause) {
    boolean condemns = cause.reason().equals(Cause.LOSS_NOT_FINITE);
    // Where no report names a step it is not known whether the gang made progress (seed 74023192).
    boolean known = cause.lastStep() != null || condemns;
    boolean ofNode = !cause.faultyNodes().isEmpty() || !cause.silentNodes().isEmpty();
    if (!known || ofNode || !COUNTED.contains(cause.reason())) {
      return Optional.empty();
    }
    String node =
        condemns
            ? ""
            : cause.evidence().stream()
                .filter(e -> !e.pod().isEmpty())
                .map(Evidence::node)
                .findFirst()
                .orElse("");
    return Optional.of(
        new Cycle(
            Objects.requireNonNull(pinned(trained)),
            condemns,
            condemns,
            false,
            node,
            cause.message()));
  }

  private static Optional<Cycle> ofAttempt(ResumeAttempt attempt) {
    Long step = attempt.step();
    return step == null || !attempt.result().failed()
        ? Optional.empty()
        : Optional.of(cycle(step, attempt));
  }

  static Cycle cycle(long step, ResumeAttempt attempt) {
    ResumeResult result = attempt.result();
    return new Cycle(
        step,
        result.condemns(),
        result == ResumeResult.LOSS_NOT_FINITE,
        false,
        attempt.node(),
        attempt.detail());
  }

  /**
   * Step of the newest checkpoint from before the attempt's first step. One that is torn or not
   * judged is not pinned anyway.
   */
  static Optional<Long> taken(Inspection.Report report, ResumeAttempt attempt) {
    Long first = attempt.first();
    return report.checkpoints().stream()
        .filter(c -> first == null || c.step() < first)
        .findFirst()
        .filter(c -> c.verdict().equals(Verdict.Kind.VALID.word()))
        .map(Checkpoint::step);
  }
}
