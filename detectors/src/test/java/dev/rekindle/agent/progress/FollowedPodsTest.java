package dev.rekindle.agent.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankReport;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which pods are followed, and for how long. */
class FollowedPodsTest extends ProgressFixture {
  @ParameterizedTest
  @CsvSource({
    "rekindle.dev/recover,true,,,true",
    "rekindle.dev/recover,observe,,,true",
    "rekindle.dev/recover,approve,,,true",
    "rekindle.dev/recover,yes,,,false",
    "rekindle.dev/recover,false,kcover.io/cascading-recovery,true,false",
    "other,true,kcover.io/cascading-recovery,true,true",
    "other,true,kcover.io/cascading-recovery,false,false",
    "other,true,,,false"
  })
  void shouldFollowOnlyWhenJobOptedIn(
      String annotation,
      String value,
      @org.jspecify.annotations.Nullable String label,
      @org.jspecify.annotations.Nullable String labelValue,
      boolean followed)
      throws IOException {
    job(
        Map.of(annotation, value),
        label == null || labelValue == null ? Map.of() : Map.of(label, labelValue));
    print(0, "step 1");
    loop.tick();
    assertThat(report() != null).isEqualTo(followed);
    assertThat(loop.followed()).isEqualTo(followed ? 1 : 0);
  }

  @Test
  void shouldFollowWithinThirtySecondsWhenJobOptsInLaterAndStopWhenItOptsOut() throws IOException {
    job(Map.of(), Map.of());
    print(0, "step 1");
    loop.tick();
    assertThat(report()).isNull();
    optIn();
    tickAfter(Duration.ofSeconds(29));
    assertThat(report()).as("the job is not read every time").isNull();
    tickAfter(Duration.ofSeconds(1));
    assertThat(status().lastStep()).isEqualTo(1);
    job(Map.of("rekindle.dev/recover", "no"), Map.of());
    tickAfter(Duration.ofSeconds(30));
    assertThat(loop.followed()).isZero();
  }

  @Test
  void shouldReportTheLastStepAndThenNothingWhenPodHasFinished() throws IOException {
    optIn();
    print(0, "step 1");
    loop.tick();
    print(0, "step 2");
    pods.set(0, pod(true));
    tickAfter(Duration.ofSeconds(5));
    assertThat(status().lastStep()).isEqualTo(2);
    var reported = status().observedTime();
    tickAfter(Duration.ofSeconds(60));
    assertThat(status().observedTime()).isEqualTo(reported);
  }

  @Test
  void shouldForgetAndCloseWhenPodIsGone() throws IOException {
    optIn();
    print(0, "step 1");
    loop.tick();
    assertThat(loop.followed()).isEqualTo(1);
    pods.clear();
    loop.tick();
    assertThat(loop.followed()).isZero();
  }

  @Test
  void shouldContinueFromTheStoredReportWhenAgentIsStartedAgain() throws IOException {
    optIn();
    print(0, "step 1");
    loop.tick();
    loop = newLoop(podLogs);
    print(0, "step 2");
    tickAfter(Duration.ofSeconds(1));
    assertThat(status().lastStep()).isEqualTo(2);
    assertThat(crud.client.resources(RankReport.class).inAnyNamespace().list().getItems())
        .hasSize(1);
  }
}
