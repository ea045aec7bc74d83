package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.InPlaceScene.entered;
import static dev.rekindle.controller.recovery.InPlaceScene.replacement;
import static dev.rekindle.controller.recovery.InPlaceScene.said;
import static dev.rekindle.controller.recovery.InPlaceScene.way;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus.RollBack;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.JobView.ResumeInjection;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InPlaceTest {
  @Test
  void shouldWriteDownTheWayBeforeAnythingIsDone() {
    Decision decision = new InPlaceScene().notChosen().decide();

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(way(decision)).isEqualTo("InPlace");
  }

  @Test
  void shouldTellTheAgentsToFreezeFirst() {
    Effect.Order order = new InPlaceScene().effect(Effect.Order.class);

    assertThat(order.name()).isEqualTo(InPlaceScene.ORDER);
    assertThat(order.spec().instruction()).isEqualTo(RestartInstruction.FREEZE);
    assertThat(order.spec().until()).isAfter(NOW);
  }

  /** Agents thaw on their own when it ends, so it must outlast every wait until ranks restart. */
  @Test
  void shouldGiveAnOrderThatOutlastsThePhasesWhichItFreezes() {
    Duration phases =
        Policy.DEFAULT.freeze(3).plus(Policy.DEFAULT.replacement()).plus(Policy.DEFAULT.inspect());

    assertThat(new InPlaceScene().effect(Effect.Order.class).spec().until())
        .isAfterOrEqualTo(NOW.plus(phases));
  }

  @Test
  void shouldDeleteNothingBeforeEveryAgentHasConfirmed() {
    InPlaceScene scene =
        new InPlaceScene()
            .ordered(RestartInstruction.FREEZE)
            .reported(0, RestartInstruction.FREEZE, State.FROZEN)
            .reported(1, RestartInstruction.FREEZE, State.FROZEN);

    assertThat(scene.decide()).isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldReplaceOnlyThePodOnTheFencedNodeOnceAllAreFrozen() {
    Decision decision =
        new InPlaceScene()
            .ordered(RestartInstruction.FREEZE)
            .reported(0, RestartInstruction.FREEZE, State.FROZEN)
            .reported(1, RestartInstruction.FREEZE, State.FROZEN)
            .reported(2, RestartInstruction.FREEZE, State.FROZEN)
            .decide();

    assertThat(((Decision.Act) decision).effects())
        .singleElement()
        .isInstanceOfSatisfying(
            Effect.DeletePod.class,
            delete -> {
              assertThat(delete.uid()).isEqualTo(gang("").get(1).uid());
              assertThat(delete.grace()).isPositive();
            });
  }

  @Test
  void shouldWaitForAPlaceOfTheReplacementAndThenGoOn() {
    InPlaceScene homeless = new InPlaceScene().frozenAndReplaced();
    homeless.pods(List.of(gang("").get(0), replacement(""), gang("").get(2)));

    assertThat(homeless.decide()).isInstanceOf(Decision.Wait.class);
    Decision placed = new InPlaceScene().frozenAndReplaced().decide();
    assertThat(entered(placed)).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(said(placed)).contains("2 pods frozen", "demo-worker-0 now on node-3");
  }

  /** The operator has yet to make the replacement, or makes a pod twice. */
  @Test
  void shouldWaitUntilThereIsOnePodForEachPlaceInTheGang() {
    PodView twin = gang("").get(0).withUid("twin");
    for (List<PodView> pods :
        List.of(
            List.of(gang("").get(0), gang("").get(2)),
            List.of(gang("").get(0), twin, gang("").get(2)))) {
      assertThat(new InPlaceScene().frozenAndReplaced().pods(pods).decide())
          .isInstanceOf(Decision.Wait.class);
    }
  }

  @Test
  void shouldRebuildWhenAReplacementFindsNoPlaceInTime() {
    InPlaceScene scene =
        new InPlaceScene()
            .frozenAndReplaced()
            .pods(List.of(gang("").get(0), replacement(""), gang("").get(2)))
            .phase(RecoveryPhase.DRAINING, NOW.minusSeconds(71));

    Decision decision = scene.decide();

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(way(decision)).isEqualTo("Rebuild");
    assertThat(said(decision)).contains("no place for the replacement");
  }

  @Test
  void shouldRebuildWhenAnAgentDoesNotConfirmInTime() {
    InPlaceScene scene =
        new InPlaceScene()
            .ordered(RestartInstruction.FREEZE)
            .reported(0, RestartInstruction.FREEZE, State.FROZEN)
            .phase(RecoveryPhase.DRAINING, NOW.minusSeconds(11));

    assertThat(way(scene.decide())).isEqualTo("Rebuild");
    assertThat(said(scene.decide())).contains("not confirmed frozen: demo-worker-0 on node-1");
  }

  @Test
  void shouldGiveABigGangMoreTimeToFreeze() {
    assertThat(Policy.DEFAULT.freeze(3)).hasSeconds(10);
    assertThat(Policy.DEFAULT.freeze(1_024)).hasSeconds(20);
    assertThat(Policy.DEFAULT.freeze(8_192)).hasSeconds(91);
  }

  @ParameterizedTest
  @EnumSource(names = {"DRAINING", "PLANNING", "RESUMING"})
  void shouldRebuildWhenAnAgentCannotOrANodeFallsSilent(RecoveryPhase phase) {
    InPlaceScene unable =
        new InPlaceScene().frozenAndReplaced().problem(2, "no freezer").phase(phase, NOW);
    InPlaceScene silent =
        new InPlaceScene()
            .frozenAndReplaced()
            .node(node("node-2", Readiness.SILENT, NOW, false, ""))
            .phase(phase, NOW);
    InPlaceScene thawed =
        new InPlaceScene()
            .frozenAndReplaced()
            .reported(2, RestartInstruction.FREEZE, State.THAWED)
            .phase(phase, NOW);

    assertThat(said(unable.decide())).contains("node node-2: no freezer");
    assertThat(said(silent.decide())).contains("node node-2 does not answer");
    assertThat(said(thawed.decide())).contains("thawed");
    for (InPlaceScene scene : List.of(unable, silent, thawed)) {
      assertThat(way(scene.decide())).isEqualTo("Rebuild");
      assertThat(entered(scene.decide())).isEqualTo(RecoveryPhase.DRAINING);
    }
  }

  @Test
  void shouldPinWhatTheScriptWouldTakeByItself() {
    Decision decision =
        new InPlaceScene()
            .frozenAndReplaced()
            .phase(RecoveryPhase.PLANNING, NOW)
            .scanned(checkpoint(40, "valid"), checkpoint(30, "valid"))
            .decide();

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.RESUMING);
    assertThat(way(decision)).isEqualTo("InPlace");
  }

  @Test
  void shouldRebuildWhenTheScriptWouldMeetATornCheckpoint() {
    Decision decision =
        new InPlaceScene()
            .frozenAndReplaced()
            .phase(RecoveryPhase.PLANNING, NOW)
            .scanned(checkpoint(50, "torn"), checkpoint(40, "valid"))
            .decide();

    assertThat(way(decision)).isEqualTo("Rebuild");
    assertThat(said(decision)).contains("step 50 torn");
  }

  @Test
  void shouldRebuildWhenTheScriptWouldReturnToACourseThatWasGivenUp() {
    InPlaceScene scene =
        new InPlaceScene()
            .frozenAndReplaced()
            .phase(RecoveryPhase.PLANNING, NOW)
            .scanned(checkpoint(50, "valid"), checkpoint(40, "valid"));

    assertThat(way(scene.decide())).isEqualTo("InPlace");
    Decision decision = scene.rollBack(new RollBack(40, 50, NOW)).decide();
    assertThat(way(decision)).isEqualTo("Rebuild");
    assertThat(said(decision)).contains("step 50 valid (given up)");
  }

  @Test
  void shouldTakeBackWhatTemplatesTellBeforeAPodIsReplaced() {
    InPlaceScene scene = new InPlaceScene().ordered(RestartInstruction.FREEZE);
    for (int pod = 0; pod < 3; pod++) {
      scene.reported(pod, RestartInstruction.FREEZE, State.FROZEN);
    }

    Decision before = scene.job(job().injection(ResumeInjection.BY_ANNOTATION)).decide();

    assertThat(((Decision.Act) before).effects()).containsExactly(new Effect.ClearResume());
    scene.job(job().injection(ResumeInjection.NOTHING));
    assertThat(scene.effect(Effect.DeletePod.class)).isNotNull();
  }

  @Test
  void shouldTellNobodyAnyMoreWhereOneWasReplaced() {
    InPlaceScene scene =
        new InPlaceScene()
            .frozenAndReplaced()
            .job(job().injection(ResumeInjection.BY_ANNOTATION))
            .pinned(40)
            .phase(RecoveryPhase.RESUMING, NOW);
    PodView replacement = replacement("node-3");
    scene.pods(List.of(telling(gang("").get(0), "/ckpt/step-10.pt"), replacement, gang("").get(2)));

    assertThat(((Decision.Act) scene.decide()).effects())
        .containsExactly(
            new Effect.InjectResume(
                "demo-master-0", gang("").get(0).uid(), InPlaceScene.ORDER, "", null));
    scene.pods(List.of(gang("").get(0), replacement, gang("").get(2)));
    assertThat(scene.effect(Effect.Order.class).spec().instruction())
        .isEqualTo(RestartInstruction.RESTART_LEADER);
    scene.pods(List.of(gang("").get(0), telling(replacement, "/ckpt/step-10.pt"), gang("").get(2)));
    assertThat(said(scene.decide())).contains("demo-worker-0 names another checkpoint");
  }

  @Test
  void shouldTellAllThatStayThePinBeforeAnyOfThemIsKilled() {
    InPlaceScene scene =
        new InPlaceScene()
            .faulty()
            .job(job().injection(ResumeInjection.BY_ANNOTATION))
            .ordered(RestartInstruction.FREEZE)
            .before(45);
    for (int pod = 0; pod < 3; pod++) {
      scene.reported(pod, RestartInstruction.FREEZE, State.FROZEN);
    }

    Decision pinned =
        scene
            .phase(RecoveryPhase.PLANNING, NOW)
            .scanned(checkpoint(50, "valid"), checkpoint(40, "valid"))
            .decide();
    assertThat(entered(pinned)).isEqualTo(RecoveryPhase.RESUMING);
    assertThat(way(pinned)).isEqualTo("InPlace");
    scene.phase(RecoveryPhase.RESUMING, NOW).pinned(40);
    assertThat(((Decision.Act) scene.decide()).effects())
        .hasSize(3)
        .contains(
            new Effect.InjectResume(
                "demo-worker-1",
                gang("").get(2).uid(),
                InPlaceScene.ORDER,
                "/ckpt/step-40.pt",
                40L));
    assertThat(said(scene.decide(NOW.plusSeconds(11))))
        .contains("these pods take no checkpoint from annotations");
    scene.pods(gang("").stream().map(p -> telling(p, "/ckpt/step-40.pt")).toList());
    assertThat(scene.effect(Effect.Order.class).spec().instruction())
        .isEqualTo(RestartInstruction.RESTART_LEADER);
  }

  @Test
  void shouldRebuildWhenAPodIsReplacedAfterTheOthersWereGivenThePin() {
    InPlaceScene scene = annotated(RestartInstruction.RESTART_ALL, State.KILLED);
    List<PodView> all = gang("").stream().map(p -> telling(p, "/ckpt/step-40.pt")).toList();

    assertThat(scene.pods(all).decide()).isInstanceOf(Decision.Wait.class);
    Decision deleted =
        scene.pods(List.of(all.get(0), terminating(all.get(1)), all.get(2))).decide();
    assertThat(way(deleted)).isEqualTo("Rebuild");
    assertThat(said(deleted))
        .contains("pod demo-worker-0 was replaced after the others were given");
    Decision replaced = scene.pods(List.of(all.get(0), replacement("node-3"), all.get(2))).decide();
    assertThat(way(replaced)).isEqualTo("Rebuild");
    assertThat(said(replaced))
        .contains("pod demo-worker-0 was replaced after the others were given");
  }

  @Test
  void shouldRebuildWhenAPodIsReplacedBeforeTheOthersAreGivenAPinThatPassedOneOver() {
    InPlaceScene scene =
        annotated(RestartInstruction.FREEZE, State.FROZEN)
            .scanned(checkpoint(50, "valid"), checkpoint(40, "valid"));

    assertThat(scene.decide()).isInstanceOf(Decision.Act.class);
    PodView replacement = replacement("node-3");
    Decision decision = scene.pods(List.of(gang("").get(0), replacement, gang("").get(2))).decide();
    assertThat(way(decision)).isEqualTo("Rebuild");
    assertThat(said(decision)).contains("a checkpoint that was passed over");
  }

  /** All pods stay, checkpoint 40 is pinned before 45, and the agents have come so far. */
  private static InPlaceScene annotated(RestartInstruction instruction, State state) {
    InPlaceScene scene =
        new InPlaceScene()
            .faulty()
            .job(job().injection(ResumeInjection.BY_ANNOTATION))
            .ordered(instruction)
            .before(45)
            .phase(RecoveryPhase.RESUMING, NOW)
            .pinned(40);
    for (int pod = 0; pod < 3; pod++) {
      scene.reported(pod, instruction, state);
    }
    return scene;
  }

  @Test
  void shouldWaitForTheReplacementOfAPodThatIsBeingDeletedThoughItsNodeIsFitAgain() {
    InPlaceScene scene = new InPlaceScene().faulty().ordered(RestartInstruction.FREEZE);
    for (int pod = 0; pod < 3; pod++) {
      scene.reported(pod, RestartInstruction.FREEZE, State.FROZEN);
    }
    List<PodView> all = gang("");

    assertThat(entered(scene.decide())).isEqualTo(RecoveryPhase.PLANNING);
    scene.pods(List.of(all.get(0), terminating(all.get(1)), all.get(2)));
    assertThat(((Decision.Wait) scene.decide()).why())
        .isEqualTo("being replaced: demo-worker-0 on node-1");
  }

  private static PodView terminating(PodView p) {
    return p.withDeletionDeadline(NOW.plusSeconds(5));
  }

  private static PodView telling(PodView p, String path) {
    return p.withResumeFrom(path);
  }

  @Test
  void shouldSayHowYoungTheGangIsThatItsOrderIsFor() {
    List<PodView> all = gang("");
    Instant youngest = all.getFirst().created().plusSeconds(7);
    InPlaceScene scene =
        new InPlaceScene()
            .pods(List.of(all.get(0), all.get(1).withCreated(youngest), all.get(2)))
            .phase(RecoveryPhase.DRAINING, NOW);

    assertThat(scene.effect(Effect.Order.class).spec().youngest()).isEqualTo(youngest);
  }

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
    assertThat(way(scene.decide())).isEqualTo("Rebuild");
    assertThat(said(scene.decide())).contains("backoffLimit of 4");
    assertThat(scene.ordered(RestartInstruction.RESTART_LEADER).decide())
        .as("begun is begun")
        .isInstanceOf(Decision.Wait.class);
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
        .isEqualTo("Rebuild");
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
    assertThat(said(decision)).contains("step 31", "step 40 was pinned");
    assertThat(way(decision)).as("chosen anew").isEmpty();
  }

  @Test
  void shouldFinishWhatIsFrozenEvenIfTheJobOptsOut() {
    InPlaceScene scene = new InPlaceScene().job(job().optIn(new OptIn.No())).frozenAndReplaced();

    assertThat(entered(scene.decide())).isEqualTo(RecoveryPhase.PLANNING);
  }

  @Test
  void shouldLetAJobGoThatOptsOutOnceItIsToBeRebuilt() {
    InPlaceScene scene =
        new InPlaceScene().job(job().optIn(new OptIn.No())).frozenAndReplaced().rebuilt();

    assertThat(entered(scene.decide())).isEqualTo(RecoveryPhase.CANCELLED);
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
        null);
  }

  private static Checkpoint checkpoint(long step, String verdict) {
    return new Checkpoint("/ckpt/step-" + step + ".pt", step, 100, NOW, verdict, "L3", "cut short");
  }
}
