package dev.rekindle.agent.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.pods.JobSettings;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When a report is written. */
class ProgressIntervalsTest extends ProgressFixture {

  @ParameterizedTest
  @CsvSource({"1, 5000", "320, 5000", "1024, 16000", "8192, 20000"})
  void shouldReportMoreSeldomOnABigGangButBeHeard(int pods, long millis) {
    var job =
        new GenericKubernetesResourceBuilder()
            .withNewMetadata()
            .withAnnotations(Map.of("rekindle.dev/recover", "true"))
            .endMetadata()
            .addToAdditionalProperties(
                "spec",
                Map.of(
                    "pytorchReplicaSpecs",
                    Map.of("Master", Map.of(), "Worker", Map.of("replicas", pods - 1))))
            .build();

    assertThat(JobSettings.of(job).interval(Duration.ofSeconds(5)))
        .isEqualTo(Duration.ofMillis(millis));
  }

  @Test
  void shouldWriteOnlyEachIntervalWhenStepsContinue() throws IOException {
    optIn();
    print(0, "step 1");
    loop.tick();
    for (int step = 2; step <= 25; step++) {
      now = now.plusMillis(200);
      print(0, "step " + step);
      loop.tick();
    }
    assertThat(status().lastStep()).as("4.8 s after the first").isEqualTo(1);
    tickAfter(Duration.ofMillis(200));
    assertThat(status().lastStep()).isEqualTo(25);
    assertThat(status().firstStep()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {-3_600, 3_600})
  void shouldContinueReportingAtItsPaceWhenTheClockIsSet(long seconds) throws IOException {
    optIn();
    print(0, "step 9");
    loop.tick();
    var before = status().observedTime();
    stepped = Duration.ofSeconds(seconds);
    tickAfter(Duration.ofSeconds(1));
    assertThat(status().observedTime()).as("not due yet").isEqualTo(before);
    tickAfter(Duration.ofSeconds(5));
    assertThat(status().observedTime()).isEqualTo(now.plus(stepped));
  }

  /** Each of them is another line: of a gang of 1,000 that would be 5,000 writes a second. */
  @ParameterizedTest
  @ValueSource(strings = {"EOFError: Ran out of input", "zipfile.BadZipFile: no zip file"})
  void shouldWriteOnlyEachIntervalWhenALoaderFailsAgainAndAgain(String other) throws IOException {
    optIn();
    print(0, "EOFError: Ran out of input");
    loop.tick();
    var reported = status().observedTime();
    for (int tries = 1; tries < 25; tries++) {
      now = now.plusMillis(200);
      print(0, tries % 2 == 0 ? "EOFError: Ran out of input" : other);
      loop.tick();
      assertThat(status().observedTime()).as("try " + tries).isEqualTo(reported);
    }
    tickAfter(Duration.ofMillis(200));
    assertThat(status().observedTime()).isEqualTo(now);
    print(1, "EOFError: Ran out of input");
    tickAfter(Duration.ofMillis(200));
    assertThat(status().observedTime()).as("another run").isEqualTo(now);
  }

  @Test
  void shouldRefreshObservedTimeWhenStepsStand() throws IOException {
    optIn();
    print(0, "step 9");
    loop.tick();
    var printed = now;
    tickAfter(Duration.ofSeconds(60));
    assertThat(status().observedTime()).isEqualTo(now);
    assertThat(status().lastStepTime()).isEqualTo(printed);
  }
}
