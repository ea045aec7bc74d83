package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.attemptId;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.TrackerChange;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.TrackerOrder;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.detect.checkpoint.Formats;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Before a rebuilt gang is resumed, the tracker of its framework is made to name the pinned
 * checkpoint, where its owner wants that.
 *
 * <p>Guarantees: it is requested only while no pod of the job exists, and never written once the
 * job may train again; what cannot be written is no reason to keep the job stopped.
 */
final class Tracking {
  /** A pod that is put on a node, pulls nothing, and writes one file. */
  static final Duration WRITES_WITHIN = Duration.ofSeconds(60);

  /** The clock of its node may be behind by so much. */
  static final Duration SKEW = Duration.ofSeconds(15);

  private static final Duration PAUSE = Duration.ofMillis(500);

  private Tracking() {}

  /** Whether the framework of the job finds that checkpoint by a tracker that may be rewritten. */
  static boolean follows(@Nullable JobView job, @Nullable PinnedCheckpoint pin) {
    return job != null
        && job.rewritesTracker()
        && pin != null
        && pin.verdict() == CheckpointVerdict.VALID
        // Each node has a tracker of its own then.
        && pin.nodes().isEmpty()
        && Formats.named(pin.format())
            .flatMap(f -> f.tracker(pin.path().substring(pin.path().lastIndexOf('/') + 1)))
            .isPresent();
  }

  /** What is to be written now; empty where nothing is. */
  static Optional<TrackerOrder> wanted(RecoverySnapshot s) {
    Plan plan = status(s).plan();
    if (Transitions.phase(s) != RecoveryPhase.RESUMING
        || plan == null
        || plan.tracker() != null
        || InPlace.chosen(s)
        || s.job() == null
        || !s.job().suspended()
        || !follows(s.job(), plan.checkpoint())) {
      return Optional.empty();
    }
    PinnedCheckpoint pin = Objects.requireNonNull(plan.checkpoint());
    Instant since = status(s).phaseSince();
    return Optional.ofNullable(since)
        .map(
            at ->
                new TrackerOrder(
                    s.recovery().name(),
                    attemptId(s),
                    pin.path(),
                    pin.format(),
                    at.plus(WRITES_WITHIN)));
  }

  /** The next step until it is written or refused; empty where none is to be waited for. */
  static Optional<Decision> decide(RecoverySnapshot s, Instant now) {
    return wanted(s).map(order -> decide(s, order, now));
  }

  private static Decision decide(RecoverySnapshot s, TrackerOrder order, Instant now) {
    if (s.tracker() instanceof TrackerView.Ended(TrackerChange change)) {
      return keep(s, change, now);
    }
    Optional<EffectFailure> failure = s.failures().of(CallKind.START_TRACKER, now);
    boolean overdue = !now.isBefore(order.until().plus(SKEW));
    if (failure.filter(EffectFailure::lasts).isPresent() || (overdue && failure.isPresent())) {
      return keep(s, TrackerChange.refused(failure.get().describe()), now);
    }
    if (overdue) {
      String detail = s.tracker() instanceof TrackerView.Pending(String what) ? what : "not there";
      return keep(s, TrackerChange.refused("its pod has not ended in time: " + detail), now);
    }
    return s.tracker() instanceof TrackerView.Absent
            && s.failures().mayAsk(CallKind.START_TRACKER, now)
        ? new Decision.Act(List.of(new Effect.StartTracker(order)), PAUSE)
        : new Decision.Wait("the tracker of the checkpoints is being rewritten", PAUSE);
  }

  private static Decision keep(RecoverySnapshot s, TrackerChange change, Instant now) {
    Plan plan = Objects.requireNonNull(status(s).plan());
    String detail = describe(change);
    return new Decision.Move(
        RecoveryStatusBuilder.withDetail(status(s).withPlan(plan.withTracker(change)), detail, now),
        switch (change.result()) {
          case REWRITTEN -> List.of(new Decision.Note(Reason.TRACKER_REWRITTEN, detail, ""));
          case REFUSED -> List.of(new Decision.Note(Reason.TRACKER_KEPT, detail, ""));
          case UNCHANGED -> List.of();
        });
  }

  private static String describe(TrackerChange change) {
    return switch (change.result()) {
      case REWRITTEN ->
          "%s names %s now; its old text, %s, is in %s"
              .formatted(
                  change.file(),
                  change.now(),
                  change.before().isEmpty() ? "nothing" : change.before(),
                  change.kept());
      case UNCHANGED -> "%s names %s already".formatted(change.file(), change.now());
      case REFUSED -> "the tracker of the checkpoints is as it was: " + change.message();
    };
  }
}
