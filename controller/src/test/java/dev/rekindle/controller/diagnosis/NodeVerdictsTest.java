package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.FREE;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.OURS;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.POLICY;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.decide;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.xid31;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.xid79;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.Policies;
import dev.rekindle.controller.diagnosis.NodeSnapshot.Tenant;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.node.NodeOwner;
import dev.rekindle.detect.node.NodeSigns;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Whether a node is fenced, left or released, by table and by chance. */
class NodeVerdictsTest {
  static final NodeView THEIRS = node("n-1", Readiness.READY, T0, true, "");

  private static final NodeView MAINTAINED =
      FREE.withSigns(
          new NodeSigns(List.of(), List.of(), List.of(), new NodeOwner("Karpenter", "x", false)));

  static Stream<Arguments> nodes() {
    FaultView gone = xid79().build();
    return Stream.of(
        argumentSet("a fault that fences", FREE, List.of(gone), "Fence"),
        argumentSet("no fault", FREE, List.of(), "NoAction"),
        argumentSet("one that never fences", FREE, List.of(never()), "NoAction"),
        argumentSet("a threshold met once", FREE, List.of(xid31("job-a").build()), "NoAction"),
        argumentSet("ours, and it stands", OURS, List.of(gone), "NoAction"),
        argumentSet("ours, and nothing is left", OURS, List.of(), "Release"),
        argumentSet("ours, only what never fences is left", OURS, List.of(never()), "Release"),
        argumentSet("ours, cleared by the driver", OURS, List.of(cleared("driver")), "Release"),
        argumentSet("under somebody else's hands", MAINTAINED, List.of(gone), "NoAction"),
        argumentSet("somebody else's cordon, guilty", THEIRS, List.of(gone), "NoAction"),
        argumentSet("somebody else's cordon, well", THEIRS, List.of(), "NoAction"));
  }

  @ParameterizedTest
  @MethodSource("nodes")
  void shouldFenceTheFaultyAndLiftOnlyItsOwn(NodeView n, List<FaultView> faults, String verdict) {
    assertThat(decide(n, faults, NOW)).asString().startsWith(verdict);
  }

  @ParameterizedTest
  @CsvSource({
    "auto, auto, false, Fence",
    "auto, approve, false, Suppressed",
    "auto, approve, true, Fence",
    "auto, observe, false, Suppressed",
    "auto, observe, true, Suppressed",
    "observe, auto, false, Suppressed",
    "observe, auto, true, Suppressed",
    "approve, auto, false, Suppressed",
    "approve, auto, true, Fence",
    "no, auto, true, NoAction",
  })
  void shouldGoNoFurtherThanJobAndPolicyLetIt(
      String job, String policy, boolean approved, String verdict) {
    OptIn optIn =
        job.equals("no")
            ? new OptIn.No()
            : new OptIn.Yes(Mode.valueOf(job.toUpperCase(java.util.Locale.ROOT)));
    FaultView fault = xid79().build();
    NodeSnapshot s =
        new NodeSnapshot(
            approved ? approved(fault.name()) : FREE,
            List.of(fault),
            List.of(),
            List.of(new Tenant(job().optIn(optIn).view(), policy(policy, null))));

    assertThat(NodeVerdicts.decide(s, POLICY, NOW)).asString().startsWith(verdict);
  }

  @ParameterizedTest
  @CsvSource({
    "auto, true, auto, true, Paused",
    "auto, true, auto, false, Fence",
    "auto, false, auto, true, Fence",
    "approve, true, approve, true, Paused",
    "observe, true, observe, true, Suppressed",
    "auto, true, observe, false, Suppressed"
  })
  void shouldFenceForNoPolicyThatIsPaused(
      String one, boolean paused, String other, boolean otherPaused, String verdict) {
    NodeSnapshot s =
        new NodeSnapshot(
            FREE,
            List.of(xid79().build()),
            List.of(),
            List.of(
                new Tenant(job().view(), policy(one, null).withPaused(paused)),
                new Tenant(job().view(), policy(other, null).withPaused(otherPaused))));

    assertThat(NodeVerdicts.decide(s, POLICY, NOW)).asString().startsWith(verdict);
  }

  @Test
  void shouldNotTakeTheApprovalOfAnotherFaultForItsOwn() {
    NodeSnapshot s =
        new NodeSnapshot(
            approved("another-fault"),
            List.of(xid79().build()),
            List.of(),
            List.of(new Tenant(job().view(), policy("approve", null))));

    assertThat(NodeVerdicts.decide(s, POLICY, NOW)).isInstanceOf(NodeVerdict.Suppressed.class);
  }

  private static FaultView never() {
    return xid31("job-a").guidance(FenceGuidance.NEVER).build();
  }

  private static FaultView cleared(String by) {
    return xid79().clearedBy(by).build();
  }

  @Test
  void shouldAskAgainWhereAnApprovalHasExpired() {
    Policy policy = policy("approve", null).withApproval(Duration.ofHours(1));
    FaultView fault = xid79().build();
    for (long seconds : new long[] {0, 3599, 3600, 90_000}) {
      NodeVerdict verdict =
          NodeVerdicts.decide(
              new NodeSnapshot(
                  approved(fault.name()).withApprovedAt(NOW.minusSeconds(seconds)),
                  List.of(fault),
                  List.of(),
                  List.of(new Tenant(job().view(), policy))),
              POLICY,
              NOW);
      if (seconds < 3600) {
        assertThat(verdict).as("%d s", seconds).isInstanceOf(NodeVerdict.Fence.class);
      } else {
        assertThat(verdict)
            .as("%d s", seconds)
            .isInstanceOfSatisfying(
                NodeVerdict.Suppressed.class,
                s -> assertThat(s.reason()).contains("has expired: take the annotation off"));
      }
    }
  }

  private static NodeView approved(String fault) {
    return FREE.withApprovedFault(fault);
  }

  static Policy policy(@Nullable String mode, @Nullable String scope) {
    return Policies.ofYaml("mode: %s\nfencing: {scope: %s}".formatted(mode, scope));
  }
}
