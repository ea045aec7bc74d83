package dev.rekindle.controller.nodehealth;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.model.FaultView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FaultDiffTest {
  private static final String NAME = "node-1.node.cond-gpumissing";

  private static NodeSymptom sign(@Nullable Instant since, Duration delay, FenceGuidance fence) {
    return new NodeSymptom(
        "node-1",
        ComponentType.NODE,
        "",
        "COND-GPUMISSING",
        "condition",
        fence,
        "investigate",
        since,
        delay,
        "condition GPUMissing is True");
  }

  private static FaultDiff.Plan decide(
      List<NodeSymptom> signs, List<FaultView> faults, Instant now) {
    return FaultDiff.decide(signs, faults, _ -> false, Map.of(), now);
  }

  private static FaultView written(String detector, boolean active) {
    return Shown.written(NAME, "COND-GPUMISSING", detector, FenceGuidance.ALWAYS)
        .withActive(active);
  }

  @Test
  void shouldWaitUntilASignHasStoodLongEnough() {
    List<NodeSymptom> signs = List.of(sign(T0, Duration.ofSeconds(30), FenceGuidance.ALWAYS));

    FaultDiff.Plan before = decide(signs, List.of(), T0.plusSeconds(29));
    FaultDiff.Plan then = decide(signs, List.of(), T0.plusSeconds(30));

    assertThat(before.edits()).isEmpty();
    assertThat(before.again()).contains(Duration.ofSeconds(1));
    assertThat(then.again()).isEmpty();
    assertThat(then.edits()).containsExactly(new Edit.Raise(signs.getFirst().fault(T0), "", T0));
  }

  @Test
  void shouldCountFromItsFirstReconcileWhereTheSymptomHasNoTime() {
    List<NodeSymptom> signs = List.of(sign(null, Duration.ofSeconds(60), FenceGuidance.NEVER));

    assertThat(decide(signs, List.of(), T0).again()).contains(Duration.ofSeconds(60));
    assertThat(
            FaultDiff.decide(signs, List.of(), _ -> false, Map.of(NAME, T0), T0.plusSeconds(60))
                .edits())
        .hasSize(1);
  }

  @Test
  void shouldWriteNothingWhileASignStands() {
    List<NodeSymptom> signs = List.of(sign(T0, Duration.ZERO, FenceGuidance.ALWAYS));

    assertThat(decide(signs, List.of(written("condition", true)), T0.plusSeconds(600)))
        .isEqualTo(new FaultDiff.Plan(List.of(), java.util.Optional.empty()));
  }

  @Test
  void shouldCountASignThatWentAwayAndCameBackUnseen() {
    List<NodeSymptom> signs = List.of(sign(T0.plusSeconds(5), Duration.ZERO, FenceGuidance.ALWAYS));

    assertThat(decide(signs, List.of(written("condition", true)), T0.plusSeconds(9)).edits())
        .containsExactly(
            new Edit.Raise(signs.getFirst().fault(T0.plusSeconds(5)), "", T0.plusSeconds(5)));
  }

  @Test
  void shouldWriteAgainWhenASignComesToMeanSomethingElse() {
    List<NodeSymptom> signs = List.of(sign(T0, Duration.ZERO, FenceGuidance.NEVER));

    assertThat(decide(signs, List.of(written("condition", true)), T0.plusSeconds(9)).edits())
        .hasSize(1);
  }

  @Test
  void shouldLetAClearedFaultStandAgain() {
    List<NodeSymptom> signs = List.of(sign(T0, Duration.ZERO, FenceGuidance.ALWAYS));

    assertThat(decide(signs, List.of(written("condition", false)), T0.plusSeconds(9)).edits())
        .hasSize(1);
  }

  @Test
  void shouldClearAFaultWhoseSignIsGone() {
    assertThat(decide(List.of(), List.of(written("condition", true)), T0).edits())
        .containsExactly(new Edit.Clear(NAME, "condition"));
    assertThat(decide(List.of(), List.of(written("condition", false)), T0).edits()).isEmpty();
  }

  @Test
  void shouldNotClearWhatMayStillStand() {
    assertThat(
            FaultDiff.decide(
                    List.of(), List.of(written("condition", true)), _ -> true, Map.of(), T0)
                .edits())
        .isEmpty();
  }

  @Test
  void shouldLeaveTheFaultsOfOthersAlone() {
    List<NodeSymptom> signs = List.of(sign(T0, Duration.ZERO, FenceGuidance.ALWAYS));

    assertThat(decide(List.of(), List.of(written("kmsg", true)), T0).edits()).isEmpty();
    assertThat(decide(signs, List.of(written("kmsg", false)), T0).edits()).isEmpty();
  }

  @Test
  void shouldRaiseOnceForASignWhoseClockIsAhead() {
    Instant ahead = T0.plusSeconds(3);
    List<NodeSymptom> signs = List.of(sign(ahead, Duration.ZERO, FenceGuidance.ALWAYS));

    assertThat(decide(signs, List.of(), T0).again()).contains(Duration.ofSeconds(3));
    assertThat(decide(signs, List.of(), ahead).edits()).hasSize(1);
  }
}
