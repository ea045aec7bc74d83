package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlacePods.at;
import static dev.rekindle.controller.recovery.InPlacePods.trains;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.StallFinding;
import dev.rekindle.api.StallFinding.NamedRank;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The ranks of a stalled gang that is to be rebuilt are inspected first. */
class RankInspectionTest {
  private static InPlaceScene stalled() {
    return new InPlaceScene().stalled().rebuilt();
  }

  private static InPlaceScene ordered() {
    return stalled().ordered(RestartInstruction.LOOK).collects();
  }

  private static StallFinding kept(Decision decision) {
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
    return Objects.requireNonNull(
        Objects.requireNonNull(((Decision.Move) decision).next().cause()).stall());
  }

  private static Effect only(Decision decision) {
    return ((Decision.Act) decision).effects().getFirst();
  }

  @Test
  void shouldOrderTheAgentsToLookBeforeTheJobIsSuspended() {
    Effect.Order order = stalled().effect(Effect.Order.class);
    assertThat(order.spec().instruction()).isEqualTo(RestartInstruction.LOOK);
    assertThat(order.spec().collectEvidence()).isTrue();
  }

  @Test
  void shouldKeepWhoIsNamedAndThenContinue() {
    InPlaceScene scene =
        ordered().found(0, at(0, 0, 9)).found(1, at(1, 1, 8)).found(2, at(2, 2, 9));
    Decision decision = scene.decide();
    assertThat(kept(decision).culprits()).extracting(NamedRank::node).containsExactly("node-1");
    assertThat(((Decision.Move) decision).notes())
        .extracting(Decision.Note::reason)
        .containsExactly(Reason.CULPRIT_NAMED);
    RecoverySnapshot next = scene.snapshot().with(((Decision.Move) decision).next());
    assertThat(only(RecoveryMachine.decide(next, Policy.DEFAULT, NOW)))
        .isInstanceOf(Effect.Suspend.class);
  }

  @Test
  void shouldLeaveAGangAloneThatTrainsUnlessItsOwnerHasSaidWhatAStallIs() {
    InPlaceScene scene =
        ordered()
            .found(0, trains(0))
            .found(1, trains(1))
            .found(2, trains(2))
            .ranks(Given.ranks(Given.gang(""), 42L, NOW.minusSeconds(31), NOW));
    assertThat(entered(scene.decide())).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(kept(scene.job(Given.job().stallTimeout(Duration.ofSeconds(30))).decide()).refuted())
        .isTrue();
  }

  /** A trace of a real loop: a batch of another shape, and 122 s without a step. */
  @Test
  void shouldLeaveAGangAloneThatWaitsForARankThatCompiles() {
    InPlaceScene scene =
        ordered()
            .found(0, at(0, 0, 9))
            .found(1, at(1, 1, 8).withCompiles(true))
            .found(2, at(2, 2, 9))
            .ranks(Given.ranks(Given.gang(""), 42L, NOW.minusSeconds(31), NOW));
    Decision.Move end = (Decision.Move) scene.decide();
    assertThat(entered(end)).isEqualTo(RecoveryPhase.CANCELLED);
    StallFinding finding = StalledInPlaceTest.finding(end);
    assertThat(finding.compiling()).isEqualTo(1);
    assertThat(finding.moves()).isNull();
    assertThat(end.notes())
        .singleElement()
        .extracting(Decision.Note::text)
        .asString()
        .contains("rank 1 compiles");

    Instant longAgo = NOW.minus(Policy.DEFAULT.stall()).minusSeconds(1);
    assertThat(entered(scene.ranks(Given.ranks(Given.gang(""), 42L, longAgo, NOW)).decide()))
        .as("a compiler may hang, too")
        .isNotEqualTo(RecoveryPhase.CANCELLED);
  }

  @Test
  void shouldWaitForAllAgentsAndNotForLong() {
    InPlaceScene scene = ordered().found(0, at(0, 0, 9)).found(1, at(1, 1, 8));
    assertThat(scene.decide()).isInstanceOf(Decision.Wait.class);
    Decision late =
        scene
            .phase(RecoveryPhase.DRAINING, NOW.minus(RankInspection.LIMIT).minusMillis(1))
            .decide();
    assertThat(kept(late).culprits()).extracting(NamedRank::rank).containsExactly(1);
  }

  @Test
  void shouldContinueWhereNoAgentAnswers() {
    Decision late =
        ordered()
            .phase(RecoveryPhase.DRAINING, NOW.minus(RankInspection.LIMIT).minusMillis(1))
            .decide();
    assertThat(kept(late).evidence()).containsExactly("no agent has reported on its ranks");
    assertThat(((Decision.Move) late).notes())
        .extracting(Decision.Note::reason)
        .containsExactly(Reason.CULPRIT_UNKNOWN);
  }

  /** Evidence is worth no hold: a refused order does not keep the job from going on. */
  @Test
  void shouldContinueWhereTheOrderIsRefused() {
    EffectFailure refused =
        EffectFailure.of(
            CallKind.ORDER, "job team/demo", new RefusedException(403, "quota"), null, NOW);
    RecoverySnapshot s =
        stalled().snapshot().withFailures(new Failures(Map.of(CallKind.ORDER, refused)));
    StallFinding finding = kept(RecoveryMachine.decide(s, Policy.DEFAULT, NOW));
    assertThat(finding.evidence()).singleElement().asString().contains("quota");
  }

  /** An order that was edited requests no evidence. */
  @Test
  void shouldContinueWhereTheOrderNoLongerAsks() {
    Decision decision =
        stalled()
            .ordered(RestartInstruction.LOOK)
            .found(0, at(0, 0, 9))
            .found(1, at(1, 1, 8))
            .found(2, at(2, 2, 9))
            .decide();
    assertThat(kept(decision).culprits()).isEmpty();
  }

  /** What agents cannot do is an answer too. */
  @Test
  void shouldNotWaitForAgentsThatCannotLook() {
    Decision decision = ordered().problem(0, "off").problem(1, "off").problem(2, "off").decide();
    assertThat(kept(decision).ranks()).isZero();
  }

  @Test
  void shouldLookOnlyOnceAndOnlyAtStalls() {
    assertThat(only(new InPlaceScene().rebuilt().decide())).isInstanceOf(Effect.Suspend.class);
    assertThat(only(stalled().attempt(2).decide())).isInstanceOf(Effect.Suspend.class);
    assertThat(only(stalled().pods(List.of()).decide())).isInstanceOf(Effect.Suspend.class);
    assertThat(only(stalled().ordered(RestartInstruction.FREEZE).decide()))
        .as("frozen, and no restart in place after all")
        .isInstanceOf(Effect.Suspend.class);
    Decision suspended = stalled().job(Given.job().suspended(InPlaceScene.ME, true)).decide();
    assertThat(((Decision.Act) suspended).effects()).noneMatch(Effect.Order.class::isInstance);
  }
}
