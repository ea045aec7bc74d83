package dev.rekindle.controller.model;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView.ResumeInjection;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a job that Kueue admits is by its Workload. */
class QueuedJobTest {
  private static final WorkloadView RUNS = Given.workload();
  private static final WorkloadView STOPPED =
      RUNS.with(b -> b.active(false).stoppedBy("demo-r2").quotaReserved(false).admitted(false));

  private static JobView queued(Given.Job job, WorkloadView... workloads) {
    return QueuedJob.with(
        job.view().withGang(new GangScheduling.Kueue("q", null)), List.of(workloads));
  }

  static Stream<Arguments> states() {
    return Stream.of(
        argumentSet("admitted", job(), RUNS, false, "", false, false),
        argumentSet(
            "waits for quota",
            job().suspended("", true),
            RUNS.with(b -> b.quotaReserved(false).admitted(false)),
            false,
            "",
            false,
            true),
        argumentSet(
            "admitted, and not started yet",
            job().suspended("", true),
            RUNS,
            false,
            "",
            false,
            true),
        argumentSet(
            "evicted, and not stopped yet",
            job(),
            RUNS.withAdmitted(false),
            false,
            "",
            false,
            true),
        argumentSet("stopped by us, just now", job(), STOPPED, true, "demo-r2", false, false),
        argumentSet(
            "stopped by us, and the operator has seen it",
            job().suspended("", true),
            STOPPED,
            true,
            "demo-r2",
            true,
            false),
        argumentSet(
            "stopped by us, and Kueue has not let its quota go",
            job().suspended("", true),
            STOPPED.withQuotaReserved(true),
            true,
            "demo-r2",
            false,
            false),
        argumentSet(
            "stopped by a person",
            job().suspended("", true),
            STOPPED.withStoppedBy(""),
            true,
            "",
            true,
            false),
        argumentSet(
            "stopped by us, and started by a person",
            job(),
            RUNS.withStoppedBy("demo-r2"),
            false,
            "demo-r2",
            false,
            false));
  }

  @ParameterizedTest
  @MethodSource("states")
  void shouldReadFromTheWorkloadWhetherAndByWhomTheJobIsStopped(
      Given.Job job,
      WorkloadView workload,
      boolean suspended,
      String by,
      boolean seen,
      boolean queued) {
    JobView view = queued(job, workload);

    assertThat(view.suspended()).isEqualTo(suspended);
    assertThat(view.suspendedBy()).isEqualTo(by);
    assertThat(view.suspensionSeen()).isEqualTo(seen);
    assertThat(view.queued()).isEqualTo(queued);
    assertThat(view.notOurs()).isEmpty();
  }

  @Test
  void shouldRefuseAJobOfAQueueWhoseWorkloadIsNotSeen() {
    assertThat(queued(job()).notOurs()).contains("queue q", "no Workload");
  }

  @Test
  void shouldRefuseAJobWhoseWorkloadIsClosed() {
    assertThat(queued(job(), RUNS.withFinished(true)).notOurs()).contains("has closed Workload");
    assertThat(queued(job().failed(T0, "it broke"), RUNS).notOurs())
        .contains("has closed Workload");
  }

  @Test
  void shouldPreferTheWorkloadThatIsNotClosed() {
    WorkloadView former = RUNS.with(b -> b.name("a").finished(true));

    assertThat(QueuedJob.workload(queued(job(), former, RUNS))).contains(RUNS);
  }

  @Test
  void shouldNoticeAWorkloadOfAJobThatNamesNoQueue() {
    JobView view = QueuedJob.with(job().view(), List.of(STOPPED));

    assertThat(QueuedJob.isOne(view)).isTrue();
    assertThat(view.suspended()).isTrue();
  }

  @Test
  void shouldGiveACheckpointOnlyWhereTheTemplateOfItsOwnerReadsIt() {
    assertThat(queued(job(), RUNS).resumeByEnv()).isFalse();
    assertThat(queued(job().injection(ResumeInjection.BY_ANNOTATION), RUNS).resumeByEnv()).isTrue();
  }

  @Test
  void shouldLeaveAJobAloneThatKueueHasNothingToDoWith() {
    assertThat(QueuedJob.with(job().view(), List.of())).isEqualTo(job().view());
  }
}
