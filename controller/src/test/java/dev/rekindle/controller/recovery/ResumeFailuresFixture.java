package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.api.Saves;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A gang that was restarted, and what its ranks show. */
abstract class ResumeFailuresFixture {
  static final Loss GOOD = new Loss(2.0, 0);

  static RecoveryStatus verifying(@Nullable Loss before) {
    PinnedCheckpoint pin =
        new PinnedCheckpoint(CheckpointVerdict.VALID, "/ckpt/step-20.pt", 20L, "L3", "");
    Plan plan =
        new Plan(RestartWay.REBUILD, "", List.of(), List.of(), Map.of(), pin)
            .withSaves(new Saves(2, 10, 20, T0, 10L, 60.0));
    RecoveryStatus status = RecoverySnapshots.status(RecoveryPhase.VERIFYING, null, 1);
    return status
        .withPlan(plan)
        .withCause(
            Objects.requireNonNull(status.cause())
                .withReason("PodFailed")
                .withFaultyNodes(List.of())
                .withLoss(before));
  }

  static List<RankView> ranks(List<PodView> gang, @Nullable Long first, @Nullable Loss loss) {
    return gang.stream()
        .map(p -> Given.rank(p, first, first == null ? null : NOW, NOW))
        .map(r -> r.withFirstStep(first).withLoss(loss))
        .toList();
  }

  static Decision decide(Given.Job job, List<PodView> gang, List<RankView> ranks) {
    return RecoveryMachine.decide(
        snapshot(job, verifying(GOOD), gang, ranks, 1), Policy.DEFAULT, NOW);
  }

  static ResumeAttempt failed(Decision decision) {
    RecoveryStatus next = ((Decision.Move) decision).next();
    assertThat(next.conditions())
        .anySatisfy(
            c -> {
              assertThat(c.getType()).isEqualTo("Resumed");
              assertThat(c.getReason()).isEqualTo(next.resumes().getLast().result().word());
            });
    return next.resumes().getLast();
  }

  static List<Reason> reasons(Decision decision) {
    return ((Decision.Move) decision).notes().stream().map(Decision.Note::reason).toList();
  }

  static Checkpoint valid(long step) {
    Instant at = T0.plusSeconds(step);
    return new Checkpoint("/ckpt/step-" + step + ".pt", step, 1, at, "valid", "L3", "");
  }

  static Decision plan(List<Long> steps, ResumeAttempt... attempts) {
    RecoveryStatus status =
        RecoverySnapshots.status(RecoveryPhase.PLANNING, null, 2, "PodFailed")
            .withResumes(List.of(attempts));
    RecoveryStatus blameless =
        status.withCause(Objects.requireNonNull(status.cause()).withFaultyNodes(List.of()));
    RecoverySnapshot s =
        snapshot(job().suspended(ME, true), blameless, List.of(), List.of(), 1)
            .with(
                b ->
                    b.inspection(
                            new Inspection.Report(
                                2, steps.stream().map(ResumeFailuresFixture::valid).toList(), ""))
                        .scanFloor(0L));
    return RecoveryMachine.decide(s, Policy.DEFAULT, NOW);
  }

  static ResumeAttempt attempt(long step, ResumeResult result) {
    return new ResumeAttempt(1, step, null, null, result, "it did not load", "node-1");
  }
}
