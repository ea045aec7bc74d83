package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.Decisions.way;
import static dev.rekindle.controller.recovery.InPlacePods.replacement;
import static dev.rekindle.controller.recovery.InPlacePods.terminating;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.RollBack;
import dev.rekindle.controller.model.GivenCheckpoint;
import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.controller.model.JobView.ResumeInjection;
import dev.rekindle.controller.model.PodView;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Which checkpoint a gang continues from that is restarted in place, and how its pods learn of it.
 */
class InPlaceCheckpointTest {
  @Test
  void shouldPinWhatTheScriptWouldTakeByItself() {
    Decision decision =
        new InPlaceScene()
            .frozenAndReplaced()
            .phase(RecoveryPhase.PLANNING, NOW)
            .scanned(checkpoint(40, "valid"), checkpoint(30, "valid"))
            .decide();

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.RESUMING);
    assertThat(way(decision)).isEqualTo(RestartWay.IN_PLACE);
  }

  @Test
  void shouldRebuildWhenTheScriptWouldMeetATornCheckpoint() {
    Decision decision =
        new InPlaceScene()
            .frozenAndReplaced()
            .phase(RecoveryPhase.PLANNING, NOW)
            .scanned(checkpoint(50, "torn"), checkpoint(40, "valid"))
            .decide();

    assertThat(way(decision)).isEqualTo(RestartWay.REBUILD);
    assertThat(detail(decision)).contains("step 50 torn");
  }

  @Test
  void shouldRebuildWhenTheScriptWouldReturnToACourseThatWasGivenUp() {
    InPlaceScene scene =
        new InPlaceScene()
            .frozenAndReplaced()
            .phase(RecoveryPhase.PLANNING, NOW)
            .scanned(checkpoint(50, "valid"), checkpoint(40, "valid"));

    assertThat(way(scene.decide())).isEqualTo(RestartWay.IN_PLACE);
    Decision decision = scene.rollBack(new RollBack(40, 50, NOW)).decide();
    assertThat(way(decision)).isEqualTo(RestartWay.REBUILD);
    assertThat(detail(decision)).contains("step 50 valid (given up)");
  }

  @Test
  void shouldTakeBackWhatTemplatesInjectBeforeAPodIsReplaced() {
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
  void shouldInjectNothingWhereOneWasReplaced() {
    InPlaceScene scene =
        new InPlaceScene()
            .frozenAndReplaced()
            .job(job().injection(ResumeInjection.BY_ANNOTATION))
            .pinned(40)
            .phase(RecoveryPhase.RESUMING, NOW);
    PodView replacement = replacement("node-3");
    scene.pods(
        List.of(annotated(gang("").get(0), "/ckpt/step-10.pt"), replacement, gang("").get(2)));

    assertThat(((Decision.Act) scene.decide()).effects())
        .containsExactly(
            new Effect.InjectResume(
                "demo-master-0",
                gang("").get(0).uid(),
                new GivenCheckpoint(InPlaceScene.ORDER, "", null, "")));
    scene.pods(List.of(gang("").get(0), replacement, gang("").get(2)));
    assertThat(scene.effect(Effect.Order.class).spec().instruction())
        .isEqualTo(RestartInstruction.RESTART_LEADER);
    scene.pods(
        List.of(gang("").get(0), annotated(replacement, "/ckpt/step-10.pt"), gang("").get(2)));
    assertThat(detail(scene.decide())).contains("demo-worker-0 names another checkpoint");
  }

  @Test
  void shouldInjectThePinInAllThatStayBeforeAnyOfThemIsKilled() {
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
    assertThat(way(pinned)).isEqualTo(RestartWay.IN_PLACE);
    scene.phase(RecoveryPhase.RESUMING, NOW).pinned(40);
    assertThat(((Decision.Act) scene.decide()).effects())
        .hasSize(3)
        .contains(
            new Effect.InjectResume(
                "demo-worker-1",
                gang("").get(2).uid(),
                new GivenCheckpoint(InPlaceScene.ORDER, "/ckpt/step-40.pt", 40L, "torch-save")));
    assertThat(detail(scene.decide(NOW.plusSeconds(11))))
        .contains("these pods take no checkpoint from annotations");
    scene.pods(gang("").stream().map(p -> annotated(p, "/ckpt/step-40.pt")).toList());
    RestartOrderSpec next = scene.effect(Effect.Order.class).spec();
    assertThat(next.instruction()).isEqualTo(RestartInstruction.RESTART_LEADER);
    assertThat(next.holdSeconds()).as("as when it was first given").isEqualTo(60);
  }

  @Test
  void shouldRebuildWhenAPodIsReplacedAfterTheOthersWereGivenThePin() {
    InPlaceScene scene = annotated(RestartInstruction.RESTART_ALL, State.KILLED);
    List<PodView> all = gang("").stream().map(p -> annotated(p, "/ckpt/step-40.pt")).toList();

    assertThat(scene.pods(all).decide()).isInstanceOf(Decision.Wait.class);
    Decision deleted =
        scene.pods(List.of(all.get(0), terminating(all.get(1)), all.get(2))).decide();
    assertThat(way(deleted)).isEqualTo(RestartWay.REBUILD);
    assertThat(detail(deleted))
        .contains("pod demo-worker-0 was replaced after the others were given");
    Decision replaced = scene.pods(List.of(all.get(0), replacement("node-3"), all.get(2))).decide();
    assertThat(way(replaced)).isEqualTo(RestartWay.REBUILD);
    assertThat(detail(replaced))
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
    assertThat(way(decision)).isEqualTo(RestartWay.REBUILD);
    assertThat(detail(decision)).contains("a checkpoint that was passed over");
  }

  /** Its pods read their annotations still, and no write of ours would say what. */
  @ParameterizedTest
  @EnumSource(
      value = ResumeInjection.class,
      names = {"NOTHING", "BY_VALUE"})
  void shouldRebuildWhenTheTemplateIsWrittenAgainWhileTheGangStandsStill(ResumeInjection anew) {
    InPlaceScene scene = annotated(RestartInstruction.FREEZE, State.FROZEN);
    List<PodView> all = gang("").stream().map(p -> annotated(p, "/ckpt/step-10.pt")).toList();
    assertThat(scene.pods(all).decide()).isInstanceOf(Decision.Act.class);

    Decision decision = scene.job(job().injection(anew)).decide();
    assertThat(way(decision)).isEqualTo(RestartWay.REBUILD);
    assertThat(detail(decision)).contains("pod demo-master-0 names the checkpoint of an earlier");
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

  private static PodView annotated(PodView p, String path) {
    return p.withResumeFrom(path);
  }

  private static Checkpoint checkpoint(long step, String verdict) {
    return new Checkpoint("/ckpt/step-" + step + ".pt", step, 100, NOW, verdict, "L3", "cut short");
  }
}
