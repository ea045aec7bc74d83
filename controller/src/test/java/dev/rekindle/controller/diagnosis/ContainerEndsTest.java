package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.ranks;
import static dev.rekindle.controller.Given.recovery;
import static dev.rekindle.controller.Given.restarted;
import static dev.rekindle.controller.diagnosis.JobSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.JobSnapshots.decide;
import static dev.rekindle.controller.diagnosis.JobSnapshots.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankReportStatus.Pace;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Containers that ended before, and after, a recovery brought the job back. */
class ContainerEndsTest {
  private static final Instant RECOVERED = T0.plusSeconds(1_000);

  @ParameterizedTest
  @CsvSource({
    "-60, RECOVERED, false",
    "-2, RECOVERED, false",
    // Kubernetes cuts the second off.
    "-1, RECOVERED, true",
    "0, RECOVERED, true",
    "2, RECOVERED, true",
    "50, RECOVERED, true",
    "-60, CANCELLED, true",
    "-60, FAILED, true"
  })
  void shouldAnswerOnlyWhatEndedAfterTheLastRecovery(
      int secondsAfter, RecoveryPhase phase, boolean recovers) {
    List<PodView> pods = new ArrayList<>(gang("a"));
    pods.set(1, Given.restarted(pods.get(1), RECOVERED.plusSeconds(secondsAfter)));
    Cause cause = new Cause("XID-79", "", List.of(), List.of(), List.of(), List.of(), null);
    RecoveryStatus status =
        new RecoveryStatus(phase, RECOVERED, 1, null, cause, null, null, List.of(), List.of());

    Verdict verdict =
        JobVerdicts.decide(
            new JobSnapshot(
                job().view(),
                pods,
                nodes(),
                List.of(),
                List.of(),
                List.of(recovery("demo-r1", T0, status))),
            Policy.DEFAULT,
            RECOVERED.plusSeconds(600));

    assertThat(verdict instanceof Verdict.Recover).isEqualTo(recovers);
  }

  /** The reports are on containers that have made no step yet. */
  @ParameterizedTest
  @CsvSource({"7, true", "0, "})
  void shouldKnowThatStepsWereSeenBeforeKubeletsRestarted(int intervals, @Nullable Boolean saw) {
    List<PodView> pods = new ArrayList<>(gang("a"));
    pods.set(1, Given.restarted(pods.get(1), RECOVERED));
    List<RankView> ranks =
        Given.ranks(pods, null, null, RECOVERED.plusSeconds(590)).stream()
            .map(r -> r.withPace(new Pace(intervals, 0, 100, 100, 9, 17, false)))
            .toList();

    Verdict verdict =
        JobVerdicts.decide(
            new JobSnapshot(job().view(), pods, nodes(), List.of(), ranks, List.of()),
            Policy.DEFAULT,
            RECOVERED.plusSeconds(600));

    assertThat(verdict)
        .isInstanceOfSatisfying(
            Verdict.Recover.class,
            recover ->
                assertThat(Objects.requireNonNull(recover.cause().before()).sawSteps())
                    .isEqualTo(saw));
  }

  @Test
  void shouldTakeAnEndInTheSecondOfTheLastStepForTheLaterOne() {
    // Kubernetes cut 12:00:50.7 to 12:00:50; the last step was printed at 50.6.
    Instant stepped = T0.plusMillis(50_600);
    List<PodView> pods = with(gang("a"), 0, restarted(gang("a").get(0), T0.plusSeconds(50)));

    assertThat(decide(job(), pods, List.of(), ranks(pods, 42L, stepped, NOW)))
        .isInstanceOfSatisfying(
            Verdict.Watch.class,
            watch ->
                assertThat(watch.until()).isEqualTo(stepped.plus(Policy.DEFAULT.kubeletRestart())));
  }

  @Test
  void shouldStartNothingForAnEndThatARecoveryHasAnswered() {
    List<PodView> pods = with(gang("a"), 0, restarted(gang("a").get(0), T0.plusSeconds(20)));
    RecoveryView since =
        recovery(
            "demo-r1",
            T0,
            new RecoveryStatus(
                RecoveryPhase.RECOVERED,
                T0.plusSeconds(90),
                1,
                null,
                null,
                null,
                null,
                List.of(),
                List.of()));
    JobSnapshot s = with(pods, List.of(), since);
    Instant late = T0.plus(Policy.DEFAULT.kubeletRestart());

    assertThat(JobVerdicts.decide(s, Policy.DEFAULT, late)).isInstanceOf(Verdict.NoAction.class);
  }
}
