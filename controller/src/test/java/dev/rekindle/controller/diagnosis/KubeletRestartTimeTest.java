package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.ranks;
import static dev.rekindle.controller.Given.restarted;
import static dev.rekindle.controller.diagnosis.JobSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.JobSnapshots.decide;
import static dev.rekindle.controller.diagnosis.JobSnapshots.reason;
import static dev.rekindle.controller.diagnosis.JobSnapshots.snapshot;
import static dev.rekindle.controller.diagnosis.JobSnapshots.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** For how long a restart is left to the kubelet. */
class KubeletRestartTimeTest {

  @ParameterizedTest(name = "ended {0} s after the pods were created, looked {1} s later: {2}")
  @CsvSource({
    // The kubelet restarts them; a job that has run for a day is no different from a young one.
    "35, 10, false",
    "35, 179, false",
    "35, 181, true",
    "86400, 2, false",
    "86400, 181, true",
    // The clock of their node is ahead.
    "35, -40, false",
    "3600, -3300, true"
  })
  void shouldGiveTheKubeletItsTimeFromTheEndOfAContainerWhereNoStepWasSeen(
      int ended, int looked, boolean recovers) {
    List<PodView> pods = new ArrayList<>(gang("a"));
    Instant end = pods.get(1).created().plusSeconds(ended);
    pods.set(1, Given.restarted(pods.get(1), end));

    Verdict verdict =
        JobVerdicts.decide(
            new JobSnapshot(job().view(), pods, nodes(), List.of(), List.of(), List.of()),
            Policy.DEFAULT,
            end.plusSeconds(looked));

    assertThat(verdict instanceof Verdict.Recover).as("%s", verdict).isEqualTo(recovers);
  }

  @ParameterizedTest
  @EnumSource(
      value = RestartPolicy.class,
      names = {"ON_FAILURE", "ALWAYS"})
  void shouldLeaveARestartToTheKubeletUntilItsTimeIsOver(RestartPolicy policy) {
    Instant stepped = T0.plusSeconds(50);
    List<PodView> pods = gang("a").stream().map(p -> restarted(p, stepped.plusSeconds(1))).toList();
    List<RankView> ranks = ranks(pods, 42L, stepped, NOW);
    Given.Job job = job().restart(policy);

    assertThat(decide(job, pods, List.of(), ranks)).isInstanceOf(Verdict.Watch.class);
    Instant late = stepped.plus(Policy.DEFAULT.kubeletRestart());
    assertThat(
            reason(
                JobVerdicts.decide(
                    snapshot(job, pods, List.of(), ranks(pods, 42L, stepped, late), nodes()),
                    Policy.DEFAULT,
                    late)))
        .isEqualTo("ContainerEnded");
  }

  @Test
  void shouldWaitOnceMoreForARestartedContainerWhenReportsLag() {
    Instant stepped = T0.plusSeconds(10);
    List<PodView> pods =
        with(gang("a"), 0, restarted(gang("a").get(0), T0.plusSeconds(20)).withReady(false));
    List<RankView> old = ranks(pods, 42L, stepped, T0.plusSeconds(15));
    Instant due = stepped.plus(Policy.DEFAULT.kubeletRestart());
    Instant last = due.plus(Policy.DEFAULT.kubeletRestart());

    assertThat(
            JobVerdicts.decide(snapshot(job(), pods, List.of(), old, nodes()), Policy.DEFAULT, due))
        .isEqualTo(new Verdict.Watch("containers ended; the kubelet restarts them", last));
    assertThat(
            reason(
                JobVerdicts.decide(
                    snapshot(job(), pods, List.of(), old, nodes()), Policy.DEFAULT, last)))
        .isEqualTo("ContainerEnded");
  }

  /** All agents are away, and the kubelets have brought it back (seed 93013327). */
  @Test
  void shouldNotStopAGangThatRunsAsAWholeAndThatNobodyHasInspectedSince() {
    Instant stepped = T0.plusSeconds(10);
    List<PodView> pods = with(gang("a"), 0, restarted(gang("a").get(0), T0.plusSeconds(20)));
    List<RankView> old = ranks(pods, 42L, stepped, T0.plusSeconds(15));
    Duration time = Policy.DEFAULT.kubeletRestart();

    for (Instant late :
        List.of(stepped.plus(time), stepped.plus(time.multipliedBy(2)), NOW.plusSeconds(86_400))) {
      assertThat(
              JobVerdicts.decide(
                  snapshot(job(), pods, List.of(), old, nodes()), Policy.DEFAULT, late))
          .isEqualTo(
              new Verdict.Watch("containers ended; the kubelet restarts them", late.plus(time)));
      List<RankView> looked = ranks(pods, 42L, stepped, late);
      assertThat(
              reason(
                  JobVerdicts.decide(
                      snapshot(job(), pods, List.of(), looked, nodes()), Policy.DEFAULT, late)))
          .isEqualTo("ContainerEnded");
    }
  }
}
