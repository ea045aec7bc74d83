package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.FormerRun;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.api.TrainingTime;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.economics.JobTime;
import dev.rekindle.controller.economics.LostWork;
import dev.rekindle.controller.economics.SaveAdvice;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.network.RdmaProof.Proof;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Ends a recovery whose gang trains again: from what it resumed, and what the failure cost. */
final class RecoveredGang {
  private RecoveredGang() {}

  /**
   * Enters Recovered.
   *
   * @param gang the pods that train; what they hold is counted, as the template may have been
   *     edited since they were created
   */
  static Decision over(
      RecoverySnapshot s,
      JobView job,
      List<PodView> gang,
      GangProgress progress,
      Optional<ResumeProof> seen,
      Instant now) {
    ResumeProof proof =
        seen.orElse(new ResumeProof(ResumeResult.UNKNOWN, "the steps of the job are not seen"));
    RecoveryStatus status = status(s);
    long gpus = gang.stream().mapToLong(PodView::gpus).sum();
    Long pinned = Verifying.resumedStep(s);
    Long last = cause(s).lastStep();
    Instant trains =
        progress.reports().stream()
            .map(RankView::firstStepTime)
            .filter(Objects::nonNull)
            .min(Instant::compareTo)
            .filter(t -> t.isBefore(now))
            .orElse(now);
    Instant detected = Objects.requireNonNullElse(s.recovery().spec().detectedAt(), now);
    long downMillis = Math.max(0, Duration.between(detected, trains).toMillis());
    double downtime = downMillis / 1000.0;
    Long first =
        progress.reports().stream()
            .map(RankView::firstStep)
            .filter(Objects::nonNull)
            .min(Long::compare)
            .orElse(null);
    Long repeated = last == null || first == null ? null : Math.max(0, last - first + 1);
    OptionalDouble secondsPerStep =
        LostWork.secondsPerStep(
            progress.reports().stream().map(RankView::pace).filter(Objects::nonNull).toList());
    TrainingTime time =
        JobTime.ended(
            s.history(),
            status,
            detected,
            trains,
            (repeated == null ? 0 : repeated) * Math.max(0, secondsPerStep.orElse(0)));
    FormerRun before = cause(s).before();
    SaveAdvice advice =
        SaveAdvice.of(InPlace.plan(s).saves(), before == null ? null : before.saves(), time, gpus);
    Outcome outcome =
        new Outcome(
            pinned,
            first,
            repeated,
            downMillis * gpus / 1000.0,
            downtime,
            RecoveryStatusBuilder.secondsPerPhase(status, now),
            proof.result(),
            LostWork.of(
                cause(s).lastStepTime(),
                detected,
                trains,
                repeated == null ? 0 : repeated,
                secondsPerStep,
                gpus),
            advice.text(),
            advice.figures(),
            time);
    String detail = describe(first, pinned, downtime);
    Optional<Proof> network = RestoredNetwork.of(s, job, progress);
    RecoveryStatus resumed = withResume(status.withOutcome(outcome), proof, now);
    RecoveryStatus resumedSo =
        network
            .map(found -> RecoveryStatusBuilder.withNetwork(resumed, found, now))
            .orElseGet(() -> RecoveryStatusBuilder.withoutNetwork(resumed));
    return new Decision.Move(
        RecoveryStatusBuilder.enter(resumedSo, RecoveryPhase.RECOVERED, detail, now),
        notes(proof, network.orElse(null), detail));
  }

  private static List<Decision.Note> notes(
      ResumeProof proof, @Nullable Proof network, String detail) {
    List<Decision.Note> notes = new ArrayList<>();
    if (proof.result() != ResumeResult.PROVEN && proof.result() != ResumeResult.UNKNOWN) {
      notes.add(new Decision.Note(Reason.RESUME_DOUBTFUL, proof.detail(), ""));
    }
    if (network != null && network.broken()) {
      String node = network.nodes().stream().findFirst().orElse("");
      notes.add(new Decision.Note(Reason.RDMA_NOT_RESTORED, network.detail(), node));
    }
    notes.add(new Decision.Note(Reason.JOB_RECOVERED, detail, ""));
    return List.copyOf(notes);
  }

  private static RecoveryStatus withResume(RecoveryStatus s, ResumeProof proof, Instant now) {
    return RecoveryStatusBuilder.withResume(s, proof.result(), proof.detail(), now);
  }

  private static String describe(@Nullable Long first, @Nullable Long resumed, double downtime) {
    String steps =
        first == null
            ? "the gang is whole and Ready; its steps cannot be seen"
            : "trains again from step " + first;
    String pin =
        resumed != null && first != null && first != resumed + 1
            ? " (the pinned checkpoint was of step " + resumed + ")"
            : "";
    return "%s%s, %.1f s after detection".formatted(steps, pin, downtime);
  }
}
