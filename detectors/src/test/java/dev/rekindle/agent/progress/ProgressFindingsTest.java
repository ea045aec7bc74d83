package dev.rekindle.agent.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.LoadErrorKind;
import dev.rekindle.api.RankEvidence.Line;
import dev.rekindle.api.RankEvidence.LineKind;
import dev.rekindle.api.RankReportStatus;
import dev.rekindle.api.RankReportStatus.Witnesses;
import dev.rekindle.detect.evidence.LinesOfPods;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What else is read of a log. */
class ProgressFindingsTest extends ProgressFixture {
  /** What a log says of ranks that wait is kept as long as its pod is there. */
  @Test
  void shouldKeepTheLinesThatSayWhyRanksWait() throws IOException {
    optIn();
    print(0, "step 1");
    tickAfter(Duration.ofSeconds(1));
    assertThat(said()).isEmpty();
    print(0, "[rank3]: RuntimeError: CUDA error: an illegal memory access");
    tickAfter(Duration.ofSeconds(1));
    assertThat(said()).extracting(Line::kind).containsExactly(LineKind.DEVICE_ERROR);
    print(1, "loading");
    tickAfter(Duration.ofSeconds(1));
    tickAfter(Duration.ofSeconds(1));
    assertThat(said()).as("another run").isEmpty();
    print(1, "[rank3]: RuntimeError: CUDA error: an illegal memory access");
    tickAfter(Duration.ofSeconds(1));
    assertThat(said()).hasSize(1);
    pods.clear();
    tickAfter(Duration.ofSeconds(1));
    assertThat(said()).as("the pod is gone").isEmpty();
  }

  @Test
  void shouldReportAtOnceThatACheckpointCannotBeLoaded() throws IOException {
    optIn();
    print(0, "loading");
    loop.tick();
    assertThat(status().loadError()).isNull();
    print(0, "EOFError: Ran out of input");
    loop.tick();
    assertThat(Objects.requireNonNull(status().loadError()).kind()).isEqualTo(LoadErrorKind.PICKLE);
    print(1, "loading");
    tickAfter(Duration.ofSeconds(1));
    tickAfter(Duration.ofSeconds(1));
    assertThat(status().restartCount()).isEqualTo(1);
    assertThat(Objects.requireNonNull(status().loadError()).run()).isZero();
    print(1, "step 1");
    tickAfter(Duration.ofSeconds(1));
    assertThat(status().loadError()).isNull();
  }

  @Test
  void shouldReportAtOnceThatTheLossIsNaNAgainAndAgain() throws IOException {
    optIn();
    print(0, "step 1 loss nan");
    loop.tick();
    print(0, "step 2 loss nan");
    loop.tick();
    assertThat(status().loss()).isEqualTo(new RankReportStatus.Loss(null, 1));
    print(0, "step 3 loss nan");
    loop.tick();
    assertThat(status().loss()).isEqualTo(new RankReportStatus.Loss(null, 3));
  }

  private List<Line> said() {
    return LinesOfPods.of(lines, POD.uid(), 3);
  }

  @Test
  void shouldSayThatLinesNameNoStepAfterTenMinutesOfThem() throws IOException {
    optIn();
    tickAfter(Duration.ofMinutes(20));
    assertThat(status().message()).as("nothing is printed").contains("no log");
    print(0, "loading");
    tickAfter(Duration.ofSeconds(1));
    tickAfter(Duration.ofMinutes(9));
    assertThat(status().message()).isEmpty();
    tickAfter(Duration.ofMinutes(1));
    assertThat(status().message()).isEqualTo(RankReportStatus.NO_STEP);
    print(0, "step 1");
    tickAfter(Duration.ofMillis(200));
    assertThat(status().message()).isEmpty();
    assertThat(status().lastStep()).isEqualTo(1);
  }

  /** A container's log is there, and empty, from its start on. */
  @Test
  void shouldSayThatNothingIsPrintedAfterTenMinutesOfIt() throws IOException {
    optIn();
    Files.createFile(
        Files.createDirectories(podLogs.resolve("team_job-worker-0_12345678-aaaa/pytorch"))
            .resolve("0.log"));
    tickAfter(Duration.ofSeconds(1));
    tickAfter(Duration.ofMinutes(9));
    assertThat(status().message()).isEmpty();
    tickAfter(Duration.ofMinutes(1));
    assertThat(status().message()).isEqualTo(RankReportStatus.NO_LINE);
    print(0, "loading");
    tickAfter(Duration.ofSeconds(1));
    assertThat(status().message()).as("ten minutes from its first line on").isEmpty();
    tickAfter(Duration.ofMinutes(10));
    assertThat(status().message()).isEqualTo(RankReportStatus.NO_STEP);
  }

  @Test
  void shouldReportAtOnceThatTheScriptRequestsARestartAndKeepItSaid() throws IOException {
    optIn();
    print(0, "step 7");
    loop.tick();
    now = now.plusMillis(200);
    var asked = now;
    print(0, "REKINDLE restart before_step=5: loss spike");
    loop.tick();
    var request = new RankReportStatus.RestartAsked("loss spike", 5L, asked);
    assertThat(status().asked()).isEqualTo(request);

    // Another agent, which finds so much said since that it does not read so far back.
    print(0, "x".repeat(70_000));
    loop = newLoop(podLogs);
    tickAfter(Duration.ofSeconds(6));
    assertThat(status().observedTime()).isEqualTo(now);
    assertThat(status().asked()).isEqualTo(request);
    print(1, "starting");
    tickAfter(Duration.ofMillis(200));
    assertThat(status().restartCount()).isEqualTo(1);
    assertThat(status().asked()).isNull();
  }

  /** They are no news of their own: they are in the next report. */
  @Test
  void shouldSayWhatTheRanksWouldShow() throws IOException {
    optIn();
    print(0, "hello");
    found = new Witnesses(2, 1, 1);
    loop.tick();
    assertThat(status().witnesses()).as("no step yet").isNull();
    found = null;
    print(0, "step 1");
    loop.tick();
    found = new Witnesses(2, 2, 0);
    tickAfter(Duration.ofMillis(200));
    assertThat(status().witnesses()).isNull();
    tickAfter(Duration.ofSeconds(5));
    assertThat(status().witnesses()).isEqualTo(found);
    assertThat(status().lastStep()).isEqualTo(1);
  }
}
