package dev.rekindle.controller.fencing;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.diagnosis.NodeSnapshot;
import dev.rekindle.controller.diagnosis.NodeVerdict;
import dev.rekindle.controller.diagnosis.NodeVerdicts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.network.ClusterNetworks;
import dev.rekindle.controller.recovery.Decision;
import dev.rekindle.controller.recovery.Effect;
import dev.rekindle.controller.recovery.Failures;
import dev.rekindle.controller.recovery.RecoveryMachine;
import dev.rekindle.controller.recovery.RecoverySnapshot;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FenceReconcilerTest {
  private static final NodeView OURS = node("n", Readiness.READY, T0, true, "team/demo-r1");
  private static final NodeView FREE = node("n");
  private static final FaultView FENCES = fault("n", "XID-79", FenceGuidance.ALWAYS);
  private static final FaultView WATCHED = fault("n", "XID-13", FenceGuidance.THRESHOLD);

  static Stream<Arguments> faults() {
    return Stream.of(
        argumentSet("the fault stands", List.of(FENCES)),
        argumentSet("only a watched fault is left", List.of(WATCHED)),
        argumentSet("no fault is left", List.of()));
  }

  /** Else one would lift what the other places, again and again while the recovery is open. */
  @ParameterizedTest
  @MethodSource("faults")
  void shouldNotTakeTurnsWithTheRecoveryThatFences(List<FaultView> faults) {
    List<FaultView> weighed =
        NodeVerdicts.weigh(
            new NodeSnapshot(OURS, faults, List.of(), List.of()), Policy.DEFAULT, T0);
    boolean releases =
        NodeVerdicts.decide(
                new NodeSnapshot(OURS, faults, List.of(), List.of()), Policy.DEFAULT, T0)
            instanceof NodeVerdict.Release;
    boolean fences =
        RecoveryMachine.decide(fencing(FREE, weighed), Policy.DEFAULT, T0)
                instanceof Decision.Act(List<Effect> effects, _, _)
            && effects.stream().anyMatch(Effect.Cordon.class::isInstance);

    assertThat(releases).isNotEqualTo(fences);
  }

  private static RecoverySnapshot fencing(NodeView node, List<FaultView> faults) {
    Cause cause = new Cause("XID-79", "", List.of(), List.of("n"), List.of(), List.of(), null);
    RecoveryStatus status =
        new RecoveryStatus(
            RecoveryPhase.FENCING, T0, 1, null, cause, null, null, List.of(), List.of());
    return new RecoverySnapshot(
        Given.recovery("demo-r1", T0, status),
        Given.job().view(),
        List.of(),
        Map.of("n", node),
        faults,
        List.of(),
        null,
        List.of(),
        Map.of(),
        Map.of(),
        0,
        null,
        false,
        false,
        new Inspection.Pending("not started"),
        List.of(),
        null,
        false,
        List.of(),
        new Failures(Map.of()),
        List.of(),
        null,
        ClusterNetworks.NONE,
        new TrackerView.Absent(),
        List.of(),
        Map.of());
  }
}
