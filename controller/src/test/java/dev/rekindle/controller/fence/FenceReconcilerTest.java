package dev.rekindle.controller.fence;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.cluster.FaultView;
import dev.rekindle.controller.cluster.NodeView;
import dev.rekindle.controller.cluster.NodeView.Readiness;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FenceReconcilerTest {
  private static final NodeView OURS = node("n", Readiness.READY, T0, true, "team/demo-r1");
  private static final NodeView THEIRS = node("n", Readiness.READY, T0, true, "");
  private static final FaultView FENCES = fault("n", "XID-79", FenceGuidance.ALWAYS);
  private static final FaultView WATCHED = fault("n", "XID-13", FenceGuidance.THRESHOLD);

  static Stream<Arguments> nodes() {
    return Stream.of(
        argumentSet("ours, the fault stands", OURS, List.of(FENCES, WATCHED), false),
        argumentSet("ours, no fault is left", OURS, List.of(), true),
        argumentSet("ours, only a watched fault is left", OURS, List.of(WATCHED), true),
        argumentSet("cordoned by somebody else", THEIRS, List.of(), false));
  }

  @ParameterizedTest
  @MethodSource("nodes")
  void shouldReleaseOnlyOurOwnFenceOnceItLostItsReason(
      NodeView node, List<FaultView> faults, boolean release) {
    assertThat(FenceReconciler.mayRelease(node, faults)).isEqualTo(release);
  }
}
