package dev.rekindle.controller.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.model.WorkloadView;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobGuardTest {
  @ParameterizedTest
  @CsvSource({
    "'', demo-r1-1, true",
    "demo-r1-1, demo-r1-2, true",
    "demo-r1-3, demo-r2-1, true",
    "demo-r9-1, demo-r10-1, true",
    "not ours, demo-r1-1, true",
    "demo-r1-1, demo-r1-1, false",
    "demo-r1-2, demo-r1-1, false",
    "demo-r2-1, demo-r1-3, false",
    "demo-r10-1, demo-r9-1, false",
  })
  void shouldNotSuspendForAnAttemptThatWasResumedAlready(
      String carried, String asked, boolean suspends) {
    JobView job = Given.job().attempt(carried).view();

    if (suspends) {
      assertThat(JobGuard.suspends(job, "demo-r1", asked)).isTrue();
    } else {
      assertThatThrownBy(() -> JobGuard.suspends(job, "demo-r1", asked))
          .isInstanceOf(StaleException.class);
    }
  }

  /** The caller may have decided before its owner wrote that. */
  @Test
  void shouldNotSuspendAJobThatHasJustOptedOut() {
    JobView job = Given.job().optIn(new OptIn.No()).view();

    assertThatThrownBy(() -> JobGuard.suspends(job, "demo-r1", "demo-r1-1"))
        .isInstanceOf(StaleException.class);
  }

  /** What another recovery has left suspended is brought back, whatever its owner says by now. */
  @Test
  void shouldTakeOverTheSuspensionOfAJobThatHasOptedOut() {
    JobView job = Given.job().optIn(new OptIn.No()).suspended("demo-r1", true).view();

    assertThat(JobGuard.suspends(job, "demo-r2", "demo-r2-1")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"demo-r1-1, demo-r1-2", "'', demo-r1-1"})
  void shouldResumeWhatIsSuspendedByTheRecovery(String carried, String asked) {
    JobView job = Given.job().attempt(carried).suspended("demo-r1", true).view();

    assertThat(JobGuard.resumes(job, order(asked))).isTrue();
  }

  @Test
  void shouldNotResumeAgainWhatCarriesTheAttempt() {
    JobView job = Given.job().attempt("demo-r1-1").view();

    assertThat(JobGuard.resumes(job, order("demo-r1-1"))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"''", "demo-r1-1", "demo-r2-1"})
  void shouldNotResumeWhatAnotherUserHasResumed(String carried) {
    JobView job = Given.job().attempt(carried).view();

    assertThatThrownBy(() -> JobGuard.resumes(job, order("demo-r1-2")))
        .isInstanceOf(StaleException.class);
  }

  private static ResumeOrder order(String attempt) {
    return new ResumeOrder(
        "demo-r1", attempt, List.of(), List.of(), Map.of(), List.of(), null, null, "", "XID-79");
  }

  private static WorkloadView workload(boolean active, String stoppedBy) {
    JobView job = Given.job().view();
    return new WorkloadView(
        job.key().namespace(),
        "w",
        job.key(),
        job.uid(),
        active,
        stoppedBy,
        "cq",
        active,
        active,
        false,
        false,
        "");
  }

  /** Between reading the job and writing its Workload a person may have written it. */
  @ParameterizedTest
  @CsvSource({
    "true, '', true, '', false, demo-r1, true",
    "false, demo-r1, false, demo-r1, true, '', true",
    "false, demo-r0, false, demo-r0, false, demo-r1, true",
    "true, demo-r1, true, demo-r1, true, '', true",
    "true, '', false, demo-r1, false, demo-r1, false",
    "false, demo-r1, true, '', true, '', false",
    "true, '', false, '', false, demo-r1, ",
    "false, demo-r1, false, '', true, '', ",
    "false, demo-r1, true, '', false, demo-r1, ",
    "false, demo-r1, false, demo-r2, true, '', ",
  })
  void shouldWriteAWorkloadThatIsAsItWasReadAlone(
      boolean wasActive,
      String wasBy,
      boolean isActive,
      String isBy,
      boolean wanted,
      String by,
      @Nullable Boolean writes) {
    WorkloadView seen = workload(wasActive, wasBy);
    WorkloadView now = workload(isActive, isBy);

    if (writes == null) {
      assertThatThrownBy(() -> JobGuard.writesWorkload(seen, now, wanted, by))
          .isInstanceOf(StaleException.class);
    } else {
      assertThat(JobGuard.writesWorkload(seen, now, wanted, by)).isEqualTo(writes);
    }
  }

  @Test
  void shouldNotWriteTheWorkloadOfAnotherJobOfTheName() {
    WorkloadView seen = workload(true, "");

    assertThatThrownBy(
            () -> JobGuard.writesWorkload(seen, seen.withJobUid("other"), false, "demo-r1"))
        .isInstanceOf(StaleException.class);
  }
}
