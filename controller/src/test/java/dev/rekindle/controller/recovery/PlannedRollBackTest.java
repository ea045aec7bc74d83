package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.Decisions.way;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.InPlaceScene.ORDER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.RollBack;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Policy;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A recovery that has pinned a checkpoint which its script has asked to go back to. */
class PlannedRollBackTest {
  private static final RollBack BACK = new RollBack(33, 99, NOW.minusSeconds(600));

  private static final RecoveryPhase[] FIRST_PLAN = {
    RecoveryPhase.DETECTED, RecoveryPhase.DRAINING, RecoveryPhase.PLANNING, RecoveryPhase.RESUMING
  };

  private static RecoverySnapshot goingBack(InPlaceScene scene, RecoveryPhase... so) {
    RecoverySnapshot s = scene.phase(so[so.length - 1], NOW).before(42).pinned(33).snapshot();
    RecoveryStatus status = Transitions.status(s);
    PinnedCheckpoint pin =
        new PinnedCheckpoint(
            CheckpointVerdict.VALID, "/ckpt/step-33.pt", 33L, "L3", "as was asked for", BACK);
    List<TimelineEntry> timeline =
        Arrays.stream(so).map(phase -> new TimelineEntry(phase, NOW, "")).toList();
    return s.with(
        status.with(
            b ->
                b.plan(Objects.requireNonNull(status.plan()).withCheckpoint(pin))
                    .timeline(timeline)));
  }

  private static InPlaceScene rebuilt(Given.Job job) {
    return new InPlaceScene().rebuilt().faulty().job(job);
  }

  private static Decision decide(RecoverySnapshot s) {
    return RecoveryMachine.decide(s, Policy.DEFAULT, NOW);
  }

  private static Optional<RollBack> givenUp(Decision decision) {
    return CheckpointPin.rollBack(((Decision.Move) decision).next());
  }

  @Test
  void shouldGiveUpNothingWhenItsUserResumesTheJobBeforeItWentBack() {
    Decision decision = decide(goingBack(rebuilt(job()), FIRST_PLAN));

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(givenUp(decision)).isEmpty();
    assertThat(Objects.requireNonNull(((Decision.Move) decision).next().plan()).checkpoint())
        .as("what was pinned")
        .isNotNull();
  }

  static Stream<Arguments> carriedOut() {
    RecoveryPhase resuming = RecoveryPhase.RESUMING;
    return Stream.of(
        Arguments.argumentSet(
            "suspended by its user after it was resumed",
            goingBack(rebuilt(job().attempt(ORDER).suspended("", true)), FIRST_PLAN)),
        Arguments.argumentSet(
            "in an earlier attempt", goingBack(rebuilt(job()).attempt(2), FIRST_PLAN)),
        Arguments.argumentSet(
            "and was seen to run",
            goingBack(
                rebuilt(job()),
                resuming,
                RecoveryPhase.VERIFYING,
                RecoveryPhase.PLANNING,
                resuming)),
        Arguments.argumentSet(
            "maybe, in place, before it was rebuilt",
            goingBack(
                rebuilt(job()),
                resuming,
                RecoveryPhase.DRAINING,
                RecoveryPhase.PLANNING,
                resuming)));
  }

  @ParameterizedTest
  @MethodSource("carriedOut")
  void shouldGiveUpWhatItWentBackFrom(RecoverySnapshot s) {
    Decision decision = decide(s);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(givenUp(decision)).contains(BACK);
  }

  /** The view that shows the new size may be older than the resumption (seed 75087444). */
  @Test
  void shouldTakeItForCarriedOutWhenItPlansAgainForAGangOfAnotherSize() {
    RecoverySnapshot s = goingBack(rebuilt(job().suspended(ME, true)), FIRST_PLAN);
    RecoverySnapshot bigger =
        s.with(RecoveryStatusBuilder.withGang(Transitions.status(s), 3))
            .withJob(job().workers(4).suspended(ME, true).view());

    assertThat(entered(decide(bigger))).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(givenUp(decide(bigger))).contains(BACK);
  }

  private static RecoverySnapshot frozen(RestartInstruction instruction, State state) {
    InPlaceScene scene = new InPlaceScene().faulty().ordered(instruction);
    for (int pod = 0; pod < gang("").size(); pod++) {
      scene.reported(pod, instruction, state);
    }
    return goingBack(scene.reported(2, instruction, State.THAWED), FIRST_PLAN);
  }

  @Test
  void shouldPlanToGoBackAgainWhereNothingFrozenWasKilled() {
    Decision thawed = decide(frozen(RestartInstruction.FREEZE, State.FROZEN));
    Decision killed = decide(frozen(RestartInstruction.RESTART_ALL, State.KILLED));

    assertThat(way(thawed)).isEqualTo(RestartWay.REBUILD);
    assertThat(givenUp(thawed)).isEmpty();
    assertThat(way(killed)).isEqualTo(RestartWay.REBUILD);
    assertThat(givenUp(killed)).contains(BACK);
  }
}
