package dev.rekindle.controller.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.cluster.ClusterGateway.StaleException;
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
}
