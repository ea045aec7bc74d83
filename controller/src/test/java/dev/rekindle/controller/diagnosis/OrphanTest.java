package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.recovery;
import static dev.rekindle.controller.diagnosis.JobSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.JobSnapshots.decide;
import static dev.rekindle.controller.diagnosis.JobSnapshots.drained;
import static dev.rekindle.controller.diagnosis.JobSnapshots.reason;
import static dev.rekindle.controller.diagnosis.JobSnapshots.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.WorkloadView;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A job that others answer for by now. */
class OrphanTest {
  private static Verdict decideForOthers(Given.Job job) {
    return JobVerdicts.decide(
        new JobSnapshot(
            job.notOurs("spec.elasticPolicy").view(),
            List.of(),
            Given.nodes(),
            List.of(),
            List.of(),
            List.of()),
        Policy.DEFAULT,
        T0.plusSeconds(60));
  }

  @Test
  void shouldBringBackWhatWeSuspendedThoughItWasHandedToOthers() {
    assertThat(decideForOthers(job().suspended("demo-r1", true)))
        .isInstanceOfSatisfying(
            Verdict.Recover.class, r -> assertThat(r.cause().reason()).isEqualTo("Orphaned"));
  }

  @Test
  void shouldNotReviveWhatOthersAnswerFor() {
    assertThat(decideForOthers(job().failed(T0.plusSeconds(50), "pod failed")))
        .isNotInstanceOf(Verdict.Recover.class);
  }

  /** Kueue has closed its Workload: each further recovery would end as soon as it began. */
  @Test
  void shouldNotTakeOverAJobThatHasFailedUnderKueue() {
    WorkloadView stopped =
        Given.workload()
            .with(b -> b.active(false).stoppedBy("demo-r1").quotaReserved(false).admitted(false));
    JobView failed = job().failed(T0.plusSeconds(50), "pod failed").view();
    JobView queued = failed.withGang(new GangScheduling.Kueue("lq", null));

    assertThat(decideSuspended(QueuedJob.with(queued, List.of(stopped))))
        .isInstanceOf(Verdict.Refuse.class);
    assertThat(
            decideSuspended(
                QueuedJob.with(
                    queued.withOptIn(new OptIn.No()), List.of(stopped.withFinished(true)))))
        .isNotInstanceOf(Verdict.Recover.class);
    JobView runs = queued.withFinish(JobView.Finish.NOT_FINISHED);
    assertThat(decideSuspended(QueuedJob.with(runs, List.of(stopped))))
        .isInstanceOf(Verdict.Recover.class);
  }

  private static Verdict decideSuspended(JobView job) {
    assertThat(job.suspended()).isTrue();
    return JobVerdicts.decide(
        new JobSnapshot(job, List.of(), Given.nodes(), List.of(), List.of(), List.of()),
        Policy.DEFAULT,
        T0.plusSeconds(60));
  }

  @Test
  void shouldTakeOverAJobWhoseRecoveryWasDeletedEvenWithNoBudgetLeft() {
    List<RecoveryView> spent =
        IntStream.rangeClosed(1, 5).mapToObj(i -> drained("demo-r" + i, NOW, 1)).toList();
    JobSnapshot s =
        new JobSnapshot(
            job().suspended("demo-r6", true).view(),
            List.of(),
            nodes(),
            List.of(),
            List.of(),
            spent);

    assertThat(reason(JobVerdicts.decide(s, Policy.DEFAULT, NOW))).isEqualTo("Orphaned");
  }

  /** Somebody who wants no more restarts, and deletes the recovery as well (seed 28). */
  @Test
  void shouldTakeOverAJobWhosePolicyAllowsNoRestartAtAll() {
    JobSnapshot s =
        snapshot(job().suspended("demo-r1", true), List.of(), List.of(), List.of(), nodes());

    assertThat(reason(JobVerdicts.decide(s, Policy.DEFAULT.withMaxRestarts(0), NOW)))
        .isEqualTo("Orphaned");
  }

  @Test
  void shouldNotTakeAJobForAnOrphanWhoseRecoveryHasJustSeenItRun() {
    RecoveryView over = recovery("demo-r1", T0, recoveredAt(NOW.minusSeconds(1)));
    JobSnapshot seen =
        snapshot(job().suspended("demo-r1", true), List.of(), List.of(), List.of(), nodes());
    JobSnapshot s =
        new JobSnapshot(seen.job(), List.of(), seen.nodes(), List.of(), List.of(), List.of(over));

    assertThat(JobVerdicts.decide(s, Policy.DEFAULT, NOW)).isInstanceOf(Verdict.Watch.class);
    assertThat(reason(JobVerdicts.decide(s, Policy.DEFAULT, NOW.plusSeconds(60))))
        .isEqualTo("Orphaned");
  }

  private static RecoveryStatus recoveredAt(Instant at) {
    return new RecoveryStatus(
        RecoveryPhase.RECOVERED, at, 1, null, null, null, null, List.of(), List.of());
  }

  @Test
  void shouldLetGoOfAJobThatOptedOutWhileItsRecoveryWasDeleted() {
    Given.Job out = job().optIn(new OptIn.No()).suspended("demo-r1", true);

    assertThat(reason(decide(out, List.of(), List.of(), List.of()))).isEqualTo("Orphaned");
  }
}
