package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.WorkloadView;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Recoveries of jobs that Kueue admits. */
class KueueRecoveryTest extends KueueRecoveryFixture {
  @Test
  void shouldDeleteNoPodBeforeKueueHasSuspendedTheJob() {
    RecoverySnapshot s =
        seen(
            job().restart(RestartPolicy.ON_FAILURE),
            STOPPED,
            status(RecoveryPhase.DRAINING, null, 1),
            gang(""),
            OPEN);
    Decision decision = decide(s);
    assertThat(decision).isInstanceOf(Decision.Wait.class);
    assertThat(((Decision.Wait) decision).why()).contains("Kueue has not suspended");
    RecoverySnapshot suspended =
        seen(
            job().suspended("", true),
            STOPPED,
            status(RecoveryPhase.DRAINING, null, 1),
            gang(""),
            OPEN);
    assertThat(effects(decide(suspended))).hasSize(3).allMatch(e -> e instanceof Effect.DeletePod);
  }

  @ParameterizedTest
  @EnumSource
  void shouldLeaveThePlaceToKueueWhereItAssignsNodes(RestartPolicy policy) {
    List<List<String>> excluded =
        Stream.of(false, true)
            .map(aware -> STOPPED.withTopologyAware(aware))
            .map(
                workload ->
                    seen(
                        job().restart(policy).suspended("", true),
                        workload,
                        planned(),
                        List.of(),
                        OPEN))
            .map(s -> effects(decide(s)))
            .map(
                all ->
                    all.stream()
                        .filter(Effect.Resume.class::isInstance)
                        .map(Effect.Resume.class::cast)
                        .findFirst()
                        .orElseThrow()
                        .order()
                        .excludedHostnames())
            .toList();
    assertThat(excluded).containsExactly(List.of("node-1.host"), List.of());
  }

  @Test
  void shouldWaitForAdmissionWithoutBurningAnAttempt() {
    WorkloadView waits =
        RUNS.with(b -> b.quotaReserved(false).admitted(false).message("insufficient unused quota"));
    RecoverySnapshot s =
        seen(
            job().suspended("", true),
            waits,
            status(RecoveryPhase.VERIFYING, null, 1),
            List.of(),
            OPEN);
    Decision decision = RecoveryMachine.decide(s, Policy.DEFAULT, NOW.plus(Duration.ofHours(1)));
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.HELD);
    assertThat(detail(decision)).contains("NotAdmitted", "insufficient unused quota");
    RecoverySnapshot held = s.with(((Decision.Move) decision).next());
    assertThat(decide(held)).isInstanceOf(Decision.Wait.class);
    RecoverySnapshot admitted =
        held.withJob(
            QueuedJob.with(
                job().view().withGang(new GangScheduling.Kueue("q", null)), List.of(RUNS)));
    assertThat(entered(decide(admitted))).isEqualTo(RecoveryPhase.VERIFYING);
  }

  @Test
  void shouldNotGiveUpAGangThatKueueHasStartedAgain() {
    RecoverySnapshot evicted =
        seen(job(), RUNS, status(RecoveryPhase.VERIFYING, null, 1), gang(""), OPEN);

    Decision decision =
        RecoveryMachine.decide(evicted, Policy.DEFAULT, NOW.plus(Duration.ofHours(1)));

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(detail(decision)).contains("started it again");
  }

  @ParameterizedTest
  @EnumSource(
      value = RecoveryPhase.class,
      names = {"DETECTED", "FENCING", "DRAINING"})
  void shouldLeaveAJobAloneThatKueueStopsByItself(RecoveryPhase phase) {
    RecoverySnapshot s =
        seen(job(), RUNS.withAdmitted(false), status(phase, null, 1), gang(""), OPEN);
    Decision decision = decide(s);
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(detail(decision)).contains("Kueue has stopped the job");
  }

  @Test
  void shouldLetAJobGoThatAPersonStartsAgain() {
    RecoverySnapshot s =
        seen(
            job(), RUNS.withStoppedBy(ME), status(RecoveryPhase.DRAINING, null, 1), gang(""), OPEN);
    assertThat(entered(decide(s))).isEqualTo(RecoveryPhase.CANCELLED);
  }

  @Test
  void shouldGiveUpAJobThatFailedMeanwhile() {
    RecoverySnapshot s =
        seen(
            job().failed(NOW, "it broke").suspended("", true),
            STOPPED,
            status(RecoveryPhase.DRAINING, null, 1),
            gang(""),
            OPEN);
    Decision decision = decide(s);
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.FAILED);
    assertThat(detail(decision)).contains("submitted again");
  }
}
