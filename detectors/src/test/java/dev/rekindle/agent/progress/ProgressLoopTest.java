package dev.rekindle.agent.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankReportStatus;
import dev.rekindle.api.RankReportStatus.Pace;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which steps are reported, and when. */
class ProgressLoopTest extends ProgressFixture {
  private static final Pace NO_PACE = new Pace(0, 0, 0, 0, 0, 0, false);

  private void steps(int from, int to, Duration each) throws IOException {
    for (int step = from; step <= to; step++) {
      print(0, "step " + step);
      tickAfter(each);
    }
  }

  @Test
  void shouldReportHowStepsFollowEachOther() throws IOException {
    optIn();
    steps(1, 104, Duration.ofSeconds(1));
    tickAfter(Duration.ofSeconds(6));
    assertThat(status().pace()).isEqualTo(new Pace(100, 103, 1_000, 1_000, 100, 6, false));
    print(0, "Running evaluation");
    tickAfter(Duration.ofSeconds(30));
    assertThat(status().pace()).isEqualTo(new Pace(100, 103, 1_000, 1_000, 100, 36, true));
  }

  @Test
  void shouldStartOverForAnotherRunOfTheContainer() throws IOException {
    optIn();
    print(0, "loading");
    tickAfter(Duration.ofSeconds(1));
    tickAfter(Duration.ofMinutes(11));
    assertThat(status().message()).isEqualTo(RankReportStatus.NO_STEP);
    print(1, "loading");
    tickAfter(Duration.ofSeconds(1));
    assertThat(status().message()).isEmpty();
    tickAfter(Duration.ofMinutes(11));
    assertThat(status().message()).isEqualTo(RankReportStatus.NO_STEP);
  }

  @Test
  void shouldNotCountStepsAsStandingWhileTheBarOfAnEvaluationMoves() throws IOException {
    optIn();
    steps(1, 5, Duration.ofSeconds(1));
    for (int i = 1; i <= 200; i++) {
      print(0, "\rEvaluating:  5%%|▌ | %d/200 [00:01<00:19,  9.73it/s]".formatted(i));
      tickAfter(Duration.ofSeconds(6));
    }
    assertThat(status().pace()).extracting(Pace::stoodSeconds).isEqualTo(0L);
    assertThat(status().lastStep()).isEqualTo(5);
    tickAfter(Duration.ofSeconds(60));
    assertThat(status().pace()).extracting(Pace::stoodSeconds).isEqualTo(60L);
  }

  @ParameterizedTest
  @ValueSource(longs = {-3_600, 3_600})
  void shouldMeasureHowLongStepsStandByAClockThatIsNotSet(long seconds) throws IOException {
    optIn();
    steps(1, 2, Duration.ofSeconds(1));
    stepped = Duration.ofSeconds(seconds);
    tickAfter(Duration.ofSeconds(9));
    assertThat(status().pace()).extracting(Pace::stoodSeconds).isEqualTo(9L);
  }

  /** A pause that the agent before has seen may come again, though its lines are far back. */
  @Test
  void shouldKeepWhatAnAgentBeforeHasMeasured() throws IOException {
    optIn();
    steps(1, 104, Duration.ofSeconds(1));
    now = now.plusSeconds(200);
    steps(105, 110, Duration.ofSeconds(1));
    tickAfter(Duration.ofSeconds(6));
    assertThat(status().pace()).extracting(Pace::longestMillis).isEqualTo(201_000L);
    long trained = Objects.requireNonNull(status().pace()).trainedSeconds();
    print(0, "x".repeat(70_000));
    loop = newLoop(podLogs);
    for (int write = 0; write < 3; write++) {
      tickAfter(Duration.ofSeconds(6));
      assertThat(status().pace())
          .as("each write says the same")
          .isEqualTo(new Pace(0, 0, 0, 201_000, trained, 6L * write, false));
    }
  }

  @Test
  void shouldKeepTheStepsOfARunThatAnAgentBeforeHasSeen() throws IOException {
    optIn();
    steps(1, 4, Duration.ofSeconds(1));
    tickAfter(Duration.ofSeconds(6));
    var seen = status();
    print(0, "x".repeat(70_000));
    loop = newLoop(podLogs);
    tickAfter(Duration.ofSeconds(6));
    assertThat(status().observedTime()).isEqualTo(now);
    assertThat(status().firstStep()).isEqualTo(1);
    assertThat(status().firstStepTime()).isEqualTo(seen.firstStepTime());
    assertThat(status().lastStep()).isEqualTo(4);
    assertThat(status().lastStepTime()).isEqualTo(seen.lastStepTime());
    print(1, "starting");
    tickAfter(Duration.ofMillis(200));
    assertThat(status().restartCount()).isEqualTo(1);
    assertThat(status().firstStep()).isNull();
    assertThat(status().lastStep()).isNull();
  }

  @Test
  void shouldOwnByPodAndReportStepAtOnceWhenFirstStepIsPrinted() throws IOException {
    optIn();
    print(0, "hello");
    loop.tick();
    assertThat(status().firstStep()).isNull();
    now = now.plusMillis(200);
    print(0, "step 1 loss 2.0");
    loop.tick();
    assertThat(status())
        .isEqualTo(
            new RankReportStatus(
                    0, 1L, now, 1L, now, now, "", null, NO_PACE, null, null, null, null, null)
                .withLoss(new RankReportStatus.Loss(2.0, 0)));
    var report = report();
    assertThat(report.getSpec().pod()).isEqualTo("job-worker-0");
    assertThat(report.getSpec().podUid()).isEqualTo("12345678-aaaa");
    assertThat(report.getSpec().node()).isEqualTo("node-1");
    assertThat(report.getSpec().job()).isEqualTo("job");
    assertThat(report.getMetadata().getOwnerReferences()).hasSize(1);
    var owner = report.getMetadata().getOwnerReferences().getFirst();
    assertThat(owner.getKind()).isEqualTo("Pod");
    assertThat(owner.getApiVersion()).isEqualTo("v1");
    assertThat(owner.getUid()).isEqualTo("12345678-aaaa");
  }

  @Test
  void shouldReportAtOnceWhenContainerRunsAgainAndWhenItsFirstStepComes() throws IOException {
    optIn();
    print(0, "step 80");
    loop.tick();
    now = now.plusMillis(200);
    print(1, "starting");
    loop.tick();
    assertThat(status())
        .isEqualTo(
            new RankReportStatus(
                1, null, null, null, null, now, "", null, NO_PACE, null, null, null, null, null));
    now = now.plusMillis(200);
    print(1, "step 51");
    loop.tick();
    assertThat(status().firstStep()).isEqualTo(51);
  }

  @Test
  void shouldReportAtOnceWhenContainerRunsAgainBeforeItsFirstStep() throws IOException {
    optIn();
    print(0, "hello");
    loop.tick();
    print(1, "hello");
    tickAfter(Duration.ofMillis(200));
    assertThat(status().restartCount()).isEqualTo(1);
  }
}
