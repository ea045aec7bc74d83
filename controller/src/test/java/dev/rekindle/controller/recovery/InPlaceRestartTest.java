package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.way;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.detect.node.PodDevices;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Killing the ranks of a frozen gang. */
class InPlaceRestartTest extends InPlaceVerifyingFixture {
  @Test
  void shouldKeepToThatGangWhenItsReplacementsAreThere() {
    InPlaceScene scene = new InPlaceScene().frozenAndReplaced().phase(RecoveryPhase.RESUMING, NOW);
    OrderView given = Objects.requireNonNull(scene.snapshot().order());

    assertThat(scene.effect(Effect.Order.class).spec().youngest())
        .isEqualTo(given.spec().youngest())
        .isNotNull();
  }

  @Test
  void shouldKillTheLeaderBeforeAllOthers() {
    InPlaceScene scene = new InPlaceScene().frozenAndReplaced().phase(RecoveryPhase.RESUMING, NOW);
    Effect.Order first = scene.effect(Effect.Order.class);
    assertThat(first.spec().instruction()).isEqualTo(RestartInstruction.RESTART_LEADER);
    assertThat(first.spec().leaderUid()).isEqualTo(gang("").getFirst().uid());
    assertThat(scene.ordered(RestartInstruction.RESTART_LEADER).decide())
        .isInstanceOf(Decision.Wait.class);
    Effect.Order second =
        scene
            .reported(0, RestartInstruction.RESTART_LEADER, State.KILLED)
            .effect(Effect.Order.class);
    assertThat(second.spec().instruction()).isEqualTo(RestartInstruction.RESTART_ALL);
  }

  @Test
  void shouldNotWaitForALeaderThatWasReplaced() {
    PodView leader = gang("").getFirst();
    PodView young =
        new PodView(
            leader.job(),
            leader.name(),
            "young",
            leader.jobUid(),
            leader.role(),
            leader.index(),
            "node-3",
            PodView.Phase.RUNNING,
            true,
            30,
            null,
            null,
            "",
            0,
            null,
            null,
            NOW,
            8,
            PodDevices.UNKNOWN,
            "",
            Amounts.NONE,
            GangScheduling.Group.NONE,
            List.of());
    Effect.Order order =
        new InPlaceScene()
            .frozenAndReplaced()
            .pods(List.of(young, gang("").get(1), gang("").get(2)))
            .phase(RecoveryPhase.RESUMING, NOW)
            .effect(Effect.Order.class);
    assertThat(order.spec().instruction()).isEqualTo(RestartInstruction.RESTART_ALL);
  }

  @Test
  void shouldRebuildWhenAContainerThatCameBackMeanwhileLeavesNoRestartToTheJob() {
    InPlaceScene scene =
        new InPlaceScene()
            .job(job().backoffLimit(4))
            .frozenAndReplaced()
            .phase(RecoveryPhase.RESUMING, NOW);

    assertThat(scene.effect(Effect.Order.class).spec().instruction())
        .isEqualTo(RestartInstruction.RESTART_LEADER);
    List<PodView> pods = scene.snapshot().pods();
    scene.pods(List.of(pods.get(0).withRestarts(2), pods.get(1), pods.get(2)));
    assertThat(way(scene.decide())).isEqualTo(RestartWay.REBUILD);
    assertThat(detail(scene.decide())).contains("backoffLimit of 4");
    assertThat(scene.ordered(RestartInstruction.RESTART_LEADER).decide())
        .as("begun is begun")
        .isInstanceOf(Decision.Wait.class);
  }

  /**
   * Its master is not confirmed to run again, and its worker has begun from zero (seed 74119763).
   */
  @Test
  void shouldWriteDownWhatNewContainersMadeOfTheCheckpointBeforeItRebuilds() {
    PodView worker = gang("").get(2);
    InPlaceScene scene =
        new InPlaceScene()
            .frozenAndReplaced()
            .pinned(65)
            .ordered(RestartInstruction.RESTART_ALL)
            .reported(0, RestartInstruction.RESTART_ALL, State.KILLED)
            .reported(2, RestartInstruction.RESTART_ALL, State.RESTARTED)
            .phase(RecoveryPhase.RESUMING, NOW);
    RankView former = Given.rank(worker, 70L, NOW, NOW);
    RankView fromZero =
        former.with(b -> b.restartCount(1).firstStep(1L).lastStep(28L).firstStepTime(NOW));
    Instant late = NOW.plus(Policy.DEFAULT.kubeletRestart()).plusSeconds(1);
    Decision.Move move = (Decision.Move) scene.ranks(List.of(fromZero)).decide(late);
    assertThat(way(move)).isEqualTo(RestartWay.REBUILD);
    assertThat(move.next().resumes())
        .singleElement()
        .satisfies(
            attempt -> {
              assertThat(attempt.result()).isEqualTo(ResumeResult.FROM_ZERO);
              assertThat(attempt.step()).isEqualTo(65);
              assertThat(attempt.first()).isEqualTo(1);
            });
    Decision.Move unseen = (Decision.Move) scene.ranks(List.of(former)).decide(late);
    assertThat(unseen.next().resumes()).as("of the container before").isEmpty();
  }

  @Test
  void shouldNotTakeAMissingReportForADeadLeader() {
    InPlaceScene scene =
        new InPlaceScene()
            .frozenAndReplaced()
            .ordered(RestartInstruction.RESTART_LEADER)
            .phase(RecoveryPhase.RESUMING, NOW)
            .unreported(0);
    assertThat(scene.decide()).isInstanceOf(Decision.Wait.class);
    assertThat(way(scene.decide(NOW.plus(Policy.DEFAULT.kubeletRestart()).plusSeconds(1))))
        .isEqualTo(RestartWay.REBUILD);
    scene.reported(0, RestartInstruction.RESTART_LEADER, State.KILLED);
    assertThat(scene.effect(Effect.Order.class).spec().instruction())
        .isEqualTo(RestartInstruction.RESTART_ALL);
  }
}
