package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.FormerRun;
import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RollBack;
import dev.rekindle.controller.checkpoint.CheckpointChoice;
import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where no checkpoint could be judged, the script decides by itself and takes the newest file. Not
 * where training went back on purpose, or is to: that file may be of the course that was given up.
 * Nor where the script has taken what is no good twice, or where the only copy is on a node that
 * cannot be used: it would find none. Such a recovery is held, the inspector is retried, and it
 * continues once it has reported.
 */
final class UnknownCheckpoints {
  /** Clocks of nodes differ by less, and a save is over that soon after its last file. */
  private static final Duration APART = Duration.ofMinutes(1);

  private UnknownCheckpoints() {}

  /** Why the script may not decide by itself; empty where it may, or where a pin is judged. */
  static Optional<String> barred(RecoverySnapshot s, JobView job, PinnedCheckpoint pin) {
    if (!CheckpointChoice.isUnknown(pin) || job.checkpointDir().isEmpty() || !job.resumeByEnv()) {
      return away(s, job, pin);
    }
    Optional<String> away = away(s, job, pin);
    if (away.isPresent()) {
      return away;
    }
    return course(s)
        .map(
            c ->
                ("%s, and what the script would choose may be of the course given up; %s;"
                        + " without rekindle.dev/checkpoint on the job its script decides")
                    .formatted(c, pin.message()))
        .or(() -> CrashLoop.of(s).barsOwnChoice().map(why -> why + "; " + pin.message()));
  }

  /** Where the only copy is out of reach, a script that decides would begin from nothing. */
  private static Optional<String> away(RecoverySnapshot s, JobView job, PinnedCheckpoint pin) {
    if (!CheckpointChoice.isUnknown(pin)
        || job.checkpointDir().isEmpty()
        || job.beginsUnreachable()) {
      return Optional.empty();
    }
    return switch (s.inspection()) {
      case Inspection.Unable(String reason, boolean away) when away -> Optional.of(reason);
      case Inspection.Report report when isAway(report) ->
          saved(s).map(saves -> onlyThere(saves, report.error()));
      case Inspection.Report report -> behind(s, report);
      default -> Optional.empty();
    };
  }

  private static boolean isAway(Inspection.Report report) {
    return report.checkpoints().isEmpty() && !report.away().isEmpty();
  }

  /**
   * Why what is within reach is not the newest, where a node is away: the log names a save that was
   * over long after all of it was written. Were the path the same storage everywhere, that save
   * would be there.
   */
  private static Optional<String> behind(RecoverySnapshot s, Inspection.Report report) {
    LoggedSaves saves = logged(s);
    Instant over = saves == null ? null : saves.time();
    if (saves == null || over == null || report.away().isEmpty()) {
      return Optional.empty();
    }
    Optional<Instant> written =
        report.checkpoints().stream()
            .map(c -> Objects.requireNonNullElse(c.modified(), Instant.MAX))
            .max(Comparator.naturalOrder());
    return written
        .filter(newest -> newest.isBefore(over.minus(apart(saves))))
        .map(
            newest ->
                onlyThere(
                    describe(saves),
                    "what %s has was written %d s earlier, and %s is out of reach"
                        .formatted(
                            String.join(", ", report.nodes()),
                            Duration.between(newest, over).toSeconds(),
                            String.join(", ", report.away()))));
  }

  /** Half of the usual time between saves: of two clocks, one may be late, and so may a copy. */
  private static Duration apart(LoggedSaves saves) {
    Double seconds = saves.secondsApart();
    Duration half = Duration.ofSeconds(seconds == null ? 0 : (long) (seconds / 2));
    return half.compareTo(APART) > 0 ? half : APART;
  }

  private static String onlyThere(String saved, String where) {
    return "%s, and %s, so that the only copy is there; bring it back, or let the script begin without it: %s: script"
        .formatted(saved, where, Annotations.CHECKPOINT_UNREACHABLE);
  }

  private static @Nullable LoggedSaves logged(RecoverySnapshot s) {
    FormerRun before = cause(s).before();
    LoggedSaves saves = before == null ? null : before.saves();
    return saves == null || saves.saves() == 0 ? null : saves;
  }

  private static String describe(LoggedSaves saves) {
    return "its log has shown %d saves%s"
        .formatted(
            saves.saves(), saves.step() == null ? "" : ", the newest at step " + saves.step());
  }

  /**
   * What shows that the job has saved before; empty where nothing does. A job that was lost before
   * its first save is not to wait for a node.
   */
  private static Optional<String> saved(RecoverySnapshot s) {
    LoggedSaves saves = logged(s);
    if (saves != null) {
      return Optional.of(describe(saves));
    }
    return s.history().reversed().stream()
        .map(RecoveryStatus::plan)
        .filter(Objects::nonNull)
        .map(RecoveryStatus.Plan::checkpoint)
        .filter(pin -> pin != null && pin.verdict() == CheckpointVerdict.VALID)
        .findFirst()
        .map(pin -> "an earlier recovery resumed from step " + pin.step());
  }

  /** Whether a node with the only copy may be inspected again: the inspector was not put there. */
  static boolean isBack(RecoverySnapshot s, Collection<String> closed) {
    return s.inspection() instanceof Inspection.Report report
        && (isAway(report) || behind(s, report).isPresent())
        && report.away().stream()
            .filter(name -> !closed.contains(name))
            .map(s.nodes()::get)
            .anyMatch(
                node ->
                    node != null
                        && node.readiness() == NodeView.Readiness.READY
                        && !node.unschedulable()
                        && !node.fencedByUs());
  }

  private static Optional<String> course(RecoverySnapshot s) {
    Optional<RollBack> last =
        Stream.concat(s.rollBacks().stream(), CheckpointPin.rollBack(status(s)).stream())
            .reduce((a, b) -> a.until().isAfter(b.until()) ? a : b);
    Optional<String> went =
        last.map(r -> "training went back from step %d to step %d".formatted(r.from(), r.to()));
    Long before = cause(s).beforeStep();
    return went.isPresent() || before == null
        ? went
        : Optional.of(
            (cause(s).reason().equals(Cause.LOSS_NOT_FINITE)
                    ? "the loss is NaN, so training is to go back to before step "
                    : "the script asked to go back to before step ")
                + before);
  }

  /** The same pin; of one that is unknown it is said who decides. */
  static PinnedCheckpoint left(PinnedCheckpoint pin) {
    return CheckpointChoice.isUnknown(pin)
        ? CheckpointChoice.unknown(
            pin.message() + "; the script decides by itself what to resume from", pin.nodes())
        : pin;
  }

  /** Whether the recovery is held for it. */
  static boolean held(RecoverySnapshot s) {
    return HoldReason.of(status(s)).filter(HoldReason.CHECKPOINT_UNKNOWN::equals).isPresent();
  }

  /**
   * Whether a recovery that is held for it may continue: once an inspector has reported, or where
   * its user leaves it to the script. That there is no inspector, or that it has not reported for
   * long, takes nothing back of what was found before.
   */
  static boolean mayEnd(RecoverySnapshot s, JobView job) {
    return s.inspection() instanceof Inspection.Report
        || job.checkpointDir().isEmpty()
        || job.beginsUnreachable();
  }

  /** Why it is still held where no inspector has reported, and how a user ends that. */
  static String unheard(PinnedCheckpoint pin) {
    return pin.message() + "; without rekindle.dev/checkpoint on the job its script decides";
  }

  /**
   * Whether there is no inspector, and it is time to request one. Not where its user lets the
   * script begin without what is out of reach, and nothing else bars that: each request would be
   * answered alike.
   */
  static boolean asksAgain(RecoverySnapshot s, JobView job, Instant now) {
    boolean none =
        switch (s.inspection()) {
          case Inspection.Unable(String reason, boolean away) ->
              !(away && job.beginsUnreachable())
                  || barred(s, job, CheckpointChoice.unknown(reason)).isPresent();
          case Inspection.Absent _ -> true;
          default -> false;
        };
    return none
        && !job.checkpointDir().isEmpty()
        && s.failures().mayAsk(CallKind.START_INSPECTOR, now);
  }
}
