package dev.rekindle.controller.economics;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rekindle.api.ComeBacks;
import dev.rekindle.api.FormerRun;
import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.api.TrainingTime;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobTimeTest {
  static Instant at(long seconds) {
    return T0.plusSeconds(seconds);
  }

  static LoggedSaves blocked(double seconds) {
    return new LoggedSaves(1, null, null, 0, null, null, null, null, false, seconds, null);
  }

  static Cause cause(@Nullable Instant stood, @Nullable FormerRun before) {
    return new Cause("PodFailed", "", List.of(), List.of(), List.of(), List.of(), 9L)
        .with(b -> b.lastStepTime(stood).before(before));
  }

  static RecoveryStatus status(
      RecoveryPhase phase, Cause cause, long detected, long verifying, long since) {
    return new RecoveryStatus(
        phase,
        at(since),
        1,
        null,
        cause,
        null,
        null,
        List.of(
            new TimelineEntry(RecoveryPhase.DETECTED, at(detected), ""),
            new TimelineEntry(RecoveryPhase.VERIFYING, at(verifying), "")),
        List.of());
  }

  static RecoveryStatus with(RecoveryStatus status, TrainingTime time) {
    return status.withOutcome(
        new Outcome(null, null, null, null, null, Map.of(), null, null, "", null, time));
  }

  /**
   * Created at 0, first step at 100, last at 1,000, known at 1,030, started 1,090, trains 1,150.
   */
  private static final RecoveryStatus FIRST =
      status(
          RecoveryPhase.VERIFYING,
          cause(at(1_000), new FormerRun(at(0), at(100), blocked(40))),
          1_030,
          1_090,
          1_090);

  private static final TrainingTime AFTER_FIRST =
      JobTime.ended(List.of(), FIRST, at(1_030), at(1_150), 200);

  @Test
  void shouldSplitTheTimeUpToTheEndOfARecovery() {
    assertThat(AFTER_FIRST).isEqualTo(new TrainingTime(at(0), at(1_150), 1, 90, 160, 200, 40));
    assertThat(AFTER_FIRST.productiveSeconds()).isEqualTo(1_150 - 90 - 160 - 200 - 40);
    assertThat(AFTER_FIRST.ettr()).isCloseTo(660 / 1_150.0, within(1e-9));
  }

  @Test
  void shouldContinueFromTheSumsOfTheLastRecovery() {
    RecoveryStatus mended = with(FIRST.withPhase(RecoveryPhase.RECOVERED), AFTER_FIRST);
    RecoveryStatus second =
        status(
            RecoveryPhase.VERIFYING,
            cause(at(2_000), new FormerRun(at(1_080), at(1_150), blocked(10))),
            2_010,
            2_040,
            2_040);

    assertThat(JobTime.ended(List.of(mended), second, at(2_010), at(2_050), 5))
        .isEqualTo(new TrainingTime(at(0), at(2_050), 2, 130, 170, 205, 50));
  }

  @Test
  void shouldCountRecoveriesThatRepairedNothing() {
    RecoveryStatus mended = with(FIRST.withPhase(RecoveryPhase.RECOVERED), AFTER_FIRST);
    RecoveryStatus failed = status(RecoveryPhase.FAILED, cause(null, null), 1_500, 1_600, 1_800);
    RecoveryStatus alone =
        status(RecoveryPhase.RECOVERED, cause(null, null), 1_900, 1_900, 1_930)
            .with(
                b ->
                    b.outcome(new Outcome(null, 1L, null, null, 15.0, Map.of()))
                        .comeBacks(new ComeBacks(2, at(1_915), at(1_930))));

    TrainingTime now =
        JobTime.now(List.of(mended, failed, alone), gang("a"), List.of(), at(2_150)).orElseThrow();

    assertThat(now).isEqualTo(new TrainingTime(at(0), at(2_150), 1, 90 + 300 + 30, 160, 200, 40));
  }

  @Test
  void shouldSplitTheTimeOfAJobThatRuns() {
    List<PodView> pods = gang("a");
    Instant created = pods.stream().map(PodView::created).min(Instant::compareTo).orElseThrow();
    RankView report =
        Given.rank(pods.getFirst(), 9L, created.plusSeconds(900), created.plusSeconds(900))
            .with(b -> b.firstStepTime(created.plusSeconds(60)).saves(blocked(7)));

    assertThat(JobTime.now(List.of(), List.of(), List.of(), T0)).isEmpty();
    assertThat(JobTime.now(List.of(), pods, List.of(), created.plusSeconds(50)))
        .as("no step yet")
        .contains(new TrainingTime(created, created.plusSeconds(50), 0, 0, 50, 0, 0));
    assertThat(JobTime.now(List.of(), pods, List.of(report), created.plusSeconds(1_000)))
        .contains(new TrainingTime(created, created.plusSeconds(1_000), 0, 0, 60, 0, 7));
  }

  @Test
  void shouldCountAnOpenRecoveryFromTheLastStep() {
    assertThat(JobTime.now(List.of(FIRST), List.of(), List.of(), at(1_060)))
        .contains(new TrainingTime(at(0), at(1_060), 0, 60, 100, 0, 40));
  }
}
