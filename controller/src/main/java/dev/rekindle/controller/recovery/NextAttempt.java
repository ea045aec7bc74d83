package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.recovery.ResumeCheck.Failure;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Decides what follows if an attempt is given up: another attempt, or the end of the recovery. */
final class NextAttempt {
  private NextAttempt() {}

  static Decision after(
      RecoverySnapshot found,
      JobView job,
      List<PodView> gang,
      Failure failure,
      Policy policy,
      Instant now) {
    String why = failure.why();
    GangProgress progress =
        GangProgress.of(gang, Verifying.ranks(found, InPlace.generation(found)));
    RecoveryStatus judged =
        RecoveryStatusBuilder.withoutNetwork(
            ResumeCheck.withAttempt(found, progress, failure, now));
    RecoverySnapshot written =
        found.with(
            failure.network() == null
                ? judged
                : RecoveryStatusBuilder.withNetwork(judged, failure.network(), now));
    // What a gang restarted in place was sent back from is judged again: it has gone on from there.
    boolean wentElsewhere =
        failure.result() == ResumeResult.BEHIND
            || failure.result() == ResumeResult.AHEAD
            || failure.result() == ResumeResult.FROM_ZERO;
    RecoverySnapshot s =
        InPlace.chosen(found) && wentElsewhere ? CheckpointPin.unpinned(written) : written;
    RecoveryStatus status = status(s);
    Optional<PodView> forbids = ResumeCheck.forbids(gang, job);
    if (forbids.isPresent()) {
      String never =
          "pod %s ended with exit code 93: never restart".formatted(forbids.get().name());
      return new Decision.Move(
          RecoveryStatusBuilder.enter(status, RecoveryPhase.CANCELLED, never, now),
          List.of(new Decision.Note(Reason.RESTART_FORBIDDEN, never, "")));
    }
    String optedOut = job.handsOff();
    if (!optedOut.isEmpty()) {
      return Transitions.end(
          s,
          RecoveryPhase.CANCELLED,
          "%s; attempt %d is not repeated: %s".formatted(optedOut, status.attempt(), why),
          now);
    }
    if (status.attempt() >= policy.maxAttempts()) {
      return Transitions.end(
          s, RecoveryPhase.FAILED, "attempt %d: %s".formatted(status.attempt(), why), now);
    }
    if (s.restarts() >= policy.maxRestarts()) {
      return Transitions.end(
          s,
          RecoveryPhase.FAILED,
          "attempt %d: %s; another restart would pass the budget: %d within %d s, maxRestarts is %d"
              .formatted(
                  status.attempt(),
                  why,
                  s.restarts(),
                  policy.budgetWindow().toSeconds(),
                  policy.maxRestarts()),
          now);
    }
    List<String> silent =
        gang.stream()
            .filter(p -> Verifying.silentFor(s, p, policy.silentNode(), now))
            .map(PodView::node)
            .distinct()
            .toList();
    RecoveryStatus unchosen = RecoveryStatusBuilder.withRestart(status, null, "");
    RecoveryStatus next =
        unchosen.with(
            b -> b.attempt(status.attempt() + 1).cause(CauseUpdates.addSilent(cause(s), silent)));
    Decision.Note again = new Decision.Note(Reason.ATTEMPT_FAILED, why, "");
    List<Decision.Note> notes =
        failure.result().failed()
            ? List.of(new Decision.Note(Reason.RESUME_FAILED, why, ""), again)
            : Stream.concat(RequiredRdma.note(failure).stream(), Stream.of(again)).toList();
    // Nodes that turned out faulty are found, and fenced, on the way.
    return new Decision.Move(
        RecoveryStatusBuilder.enter(next, RecoveryPhase.DRAINING, "try again: " + why, now), notes);
  }
}
