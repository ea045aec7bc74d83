package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.ranks;
import static dev.rekindle.controller.diagnosis.JobSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.JobSnapshots.XID_79;
import static dev.rekindle.controller.diagnosis.JobSnapshots.decide;
import static dev.rekindle.controller.diagnosis.JobSnapshots.stepping;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.detect.node.PodDevices;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Faults of the hardware under a job. */
class HardwareFaultsTest {
  private static final Instant BACK = NOW.minusSeconds(40);

  @Test
  void shouldRecoverAndNameTheNodeWhenAFaultFences() {
    Verdict verdict = decide(job(), gang("a"), List.of(XID_79), stepping(gang("a")));

    assertThat(verdict).isInstanceOf(Verdict.Recover.class);
    Cause cause = ((Verdict.Recover) verdict).cause();
    assertThat(cause.reason()).isEqualTo("XID-79");
    assertThat(cause.faultyNodes()).containsExactly("node-1");
    assertThat(cause.suspectPods()).containsExactly("demo-worker-0");
    assertThat(cause.evidence()).singleElement().asString().contains("fallen off the bus");
    assertThat(cause.lastStep()).isEqualTo(42);
  }

  @Test
  void shouldPassOverTheFaultOfAGpuThatIsAnotherJobs() {
    FaultView theirs =
        fault("node-1", "XID-79", FenceGuidance.ALWAYS)
            .with(b -> b.component("GPU GPU-22222222-aaaa-bbbb-cccc-000000000002").evidence(""));
    List<PodView> unknown = gang("a");
    List<PodView> known = new ArrayList<>(unknown);
    known.set(
        1,
        known
            .get(1)
            .withDevices(
                new PodDevices(
                    true, Set.of("GPU-11111111-aaaa-bbbb-cccc-000000000001"), List.of())));

    assertThat(decide(job(), known, List.of(theirs), stepping(known)))
        .isInstanceOf(Verdict.Watch.class);
    assertThat(decide(job(), unknown, List.of(theirs), stepping(unknown)))
        .isInstanceOf(Verdict.Recover.class);
  }

  /** Nothing was allowed while the fault was there, and now its gang trains (seed 44516). */
  @Test
  void shouldLetAGangTrainOnThatHasMadeStepsSinceARebootThatRepairs() {
    List<PodView> pods = gang("a");
    Map<String, NodeView> back = booted("boot-2");

    assertThat(decide(job(), pods, List.of(XID_79), stepping(pods), back))
        .isInstanceOf(Verdict.Watch.class);
  }

  static Stream<Arguments> notRepaired() {
    List<RankView> stepping = stepping(gang("a"));
    return Stream.of(
        argumentSet("in the same boot", booted("boot-1"), XID_79, stepping),
        argumentSet(
            "of a GPU to be replaced",
            booted("boot-2"),
            XID_79.with(b -> b.action("drain_and_rma")),
            stepping),
        argumentSet(
            "with steps of before only",
            booted("boot-2"),
            XID_79,
            ranks(gang("a"), 42L, BACK.plusSeconds(9), NOW)),
        argumentSet("without a step", booted("boot-2"), XID_79, ranks(gang("a"), null, null, NOW)));
  }

  @ParameterizedTest
  @MethodSource("notRepaired")
  void shouldRecoverFromAFaultThatMayStandAfterAReboot(
      Map<String, NodeView> nodes, FaultView fault, List<RankView> ranks) {
    assertThat(decide(job(), gang("a"), List.of(fault), ranks, nodes))
        .isInstanceOf(Verdict.Recover.class);
  }

  private static Map<String, NodeView> booted(String boot) {
    Map<String, NodeView> nodes = new HashMap<>(nodes());
    nodes.put(
        "node-1",
        NodeSnapshots.booted(
            node("node-1", Readiness.READY, T0, true, "team/other-r1"),
            boot,
            Readiness.READY,
            BACK));
    return nodes;
  }
}
