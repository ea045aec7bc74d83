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
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.ComeBacks;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Gangs that the kubelets brought back. */
class SelfRecoveryTest {
  @Test
  void shouldReportOnceThatTheKubeletsBroughtTheGangBack() {
    Instant ended = NOW.minusSeconds(20);
    Instant trains = NOW.minusSeconds(9);
    List<PodView> pods = gang("a").stream().map(p -> restarted(p, ended)).toList();
    List<RankView> ranks = ranks(pods, 43L, trains, NOW);
    RecoveryView recorded =
        recovery(
            "demo-r1",
            ended,
            new RecoveryStatus(
                RecoveryPhase.RECOVERED, NOW, 1, null, null, null, null, List.of(), List.of()));

    assertThat(decide(job(), pods, List.of(), ranks))
        .isInstanceOfSatisfying(
            Verdict.SelfRecovered.class,
            back -> {
              assertThat(back.ended()).isEqualTo(ended);
              assertThat(back.trains()).isEqualTo(trains);
              assertThat(back.cause().reason()).isEqualTo("ContainerEnded");
            });
    JobSnapshot after =
        new JobSnapshot(job().view(), pods, nodes(), List.of(), ranks, List.of(recorded));
    assertThat(JobVerdicts.decide(after, Policy.DEFAULT, NOW.plusSeconds(1)))
        .isInstanceOf(Verdict.Watch.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {-3_600, -1_000, 0, 3_600})
  void shouldReportOnceThatTheGangCameBackWhateverTheOwnClockSays(long ahead) {
    Instant ended = NOW.minusSeconds(20);
    Instant trains = NOW.minusSeconds(9);
    Instant now = NOW.plusSeconds(ahead);
    List<PodView> pods = gang("a").stream().map(p -> restarted(p, ended)).toList();
    RecoveryStatus recorded =
        new RecoveryStatus(
                RecoveryPhase.RECOVERED, now, 1, null, null, null, null, List.of(), List.of())
            .withComeBacks(new ComeBacks(1, trains, trains));
    JobSnapshot after =
        new JobSnapshot(
            job().view(),
            pods,
            nodes(),
            List.of(),
            ranks(pods, 43L, trains, NOW),
            List.of(recovery("demo-r1", ended, recorded)));

    assertThat(JobVerdicts.decide(after, Policy.DEFAULT, now))
        .isNotInstanceOf(Verdict.SelfRecovered.class);
  }

  static Stream<Arguments> notWorthTelling() {
    Instant ended = NOW.minusSeconds(20);
    List<PodView> back = gang("a").stream().map(p -> restarted(p, ended)).toList();
    List<RankView> anew = ranks(back, 43L, NOW.minusSeconds(9), NOW);
    RankView first = anew.getFirst();
    List<RankView> neverStopped =
        List.of(
            first.with(b -> b.restartCount(0).firstStepTime(T0).lastStepTime(NOW.minusSeconds(1))));
    return Stream.of(
        argumentSet("a container beside the trainer ended", job(), back, neverStopped),
        argumentSet("it is only watched", job().optIn(new OptIn.Yes(Mode.OBSERVE)), back, anew),
        argumentSet("somebody else restarts it", job().notOurs("Kueue"), back, anew),
        argumentSet("it is not whole again", job(), back.subList(0, 2), anew));
  }

  @ParameterizedTest
  @MethodSource("notWorthTelling")
  void shouldNotReportAComebackThatWasNone(
      Given.Job job, List<PodView> pods, List<RankView> ranks) {
    assertThat(decide(job, pods, List.of(), ranks)).isNotInstanceOf(Verdict.SelfRecovered.class);
  }
}
