package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.Decisions.way;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Killing the ranks of a frozen gang, and what they do afterwards. */
class InPlaceRestartTest {
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
            8);
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
   * Its master is not confirmed to run anew, and its worker has begun from zero (seed 74119763).
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

  @Test
  void shouldNotVerifyWhileTheReportOnASurvivorIsMissing() {
    InPlaceScene scene =
        new InPlaceScene()
            .frozenAndReplaced()
            .ordered(RestartInstruction.RESTART_ALL)
            .phase(RecoveryPhase.RESUMING, NOW)
            .reported(0, RestartInstruction.RESTART_ALL, State.RESTARTED)
            .unreported(2);

    assertThat(scene.decide()).isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldVerifyOnlyWhenEveryContainerWasSeenAnew() {
    InPlaceScene scene =
        new InPlaceScene()
            .frozenAndReplaced()
            .ordered(RestartInstruction.RESTART_ALL)
            .phase(RecoveryPhase.RESUMING, NOW)
            .reported(0, RestartInstruction.RESTART_ALL, State.RESTARTED);

    assertThat(scene.decide()).isInstanceOf(Decision.Wait.class);
    scene.reported(2, RestartInstruction.RESTART_ALL, State.RESTARTED);
    assertThat(entered(scene.decide())).isEqualTo(RecoveryPhase.VERIFYING);
  }

  @Test
  void shouldCallItRecoveredByStepsOfNewContainersOnly() {
    InPlaceScene scene = verifying();
    List<PodView> pods = scene.snapshot().pods();

    List<RankView> stale = Given.ranks(pods, 99L, NOW, NOW);
    assertThat(scene.ranks(stale.subList(0, 1)).decide()).isInstanceOf(Decision.Wait.class);

    List<PodView> anew = new ArrayList<>();
    pods.forEach(p -> anew.add(Given.restarted(p, NOW)));
    scene.ranks(anew.stream().map(p -> rank(p, 41, 44)).toList());
    assertThat(entered(scene.decide())).isEqualTo(RecoveryPhase.RECOVERED);
  }

  /** Its readiness probe is the user's word on when a rank is of use. */
  @Test
  void shouldNotCallItRecoveredWhileAPodIsNotReady() {
    InPlaceScene scene = verifying();
    List<PodView> pods = scene.snapshot().pods();
    List<PodView> anew = new ArrayList<>();
    pods.forEach(p -> anew.add(Given.restarted(p, NOW)));
    scene.ranks(anew.stream().map(p -> rank(p, 41, 44)).toList());
    List<PodView> unready = new ArrayList<>(pods);
    unready.set(2, pods.get(2).with(b -> b.ready(false)));

    assertThat(scene.pods(unready).decide()).isInstanceOf(Decision.Wait.class);
    assertThat(entered(scene.pods(pods).decide())).isEqualTo(RecoveryPhase.RECOVERED);
  }

  @Test
  void shouldRebuildWhenTheScriptWentBackFurtherThanThePin() {
    InPlaceScene scene = verifying();
    List<RankView> back =
        scene.snapshot().pods().stream().map(p -> rank(Given.restarted(p, NOW), 31, 33)).toList();

    Decision decision = scene.ranks(back).decide();

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(detail(decision)).contains("step 31", "step 40 was pinned");
    assertThat(way(decision)).as("chosen anew").isNull();
  }

  private static InPlaceScene verifying() {
    return new InPlaceScene()
        .frozenAndReplaced()
        .ordered(RestartInstruction.RESTART_ALL)
        .reported(0, RestartInstruction.RESTART_ALL, State.RESTARTED)
        .reported(2, RestartInstruction.RESTART_ALL, State.RESTARTED)
        .pinned(40)
        .phase(RecoveryPhase.VERIFYING, NOW.minusSeconds(1));
  }

  private static RankView rank(PodView pod, long first, long last) {
    return new RankView(
        pod.job(),
        pod.name(),
        pod.uid(),
        pod.node(),
        pod.restarts(),
        first,
        last,
        NOW,
        NOW,
        NOW,
        null,
        null,
        false);
  }
}
