package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.FREE;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.POLICY;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.decide;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.xid31;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.diagnosis.NodeSnapshots.Fault;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A stall fences nothing by itself, and is a witness of a fault of the hardware. */
class StallWitnessTest {
  private static final Instant HIT = T0.plusSeconds(600);

  /** A link that was replayed once: no program causes it, and once is no reason to fence. */
  private static FaultView weak() {
    return new Fault(Given.fault("n-1", "NIC-LINK-FLAP", FenceGuidance.THRESHOLD))
        .action("none")
        .incident(HIT, "", "")
        .build()
        .withLastSeen(HIT);
  }

  private static NodeView named(Instant at, boolean device) {
    NamedStalls stalls =
        NamedStalls.NONE.and(new NamedStalls.Entry(at, "team/llm-r1", device, false));
    return FREE.withStalls(stalls.format());
  }

  @Test
  void shouldFenceForNeitherAlone() {
    assertThat(decide(FREE, List.of(weak()), NOW)).isInstanceOf(NodeVerdict.NoAction.class);
    assertThat(decide(named(HIT, true), List.of(), NOW)).isInstanceOf(NodeVerdict.NoAction.class);
  }

  @Test
  void shouldFenceForBothTogether() {
    assertThat(decide(named(HIT, true), List.of(weak()), NOW))
        .isInstanceOfSatisfying(
            NodeVerdict.Fence.class,
            fence -> {
              assertThat(fence.reason()).contains("NIC-LINK-FLAP").contains("team/llm-r1");
              assertThat(fence.namespaces()).containsExactly("team");
            });
  }

  @ParameterizedTest
  @CsvSource({"-901, false", "-900, true", "0, true", "900, true", "901, false"})
  void shouldTakeThemForOneMatterWithinAQuarterOfAnHour(int seconds, boolean fences) {
    NodeView node = named(HIT.plusSeconds(seconds), true);
    assertThat(decide(node, List.of(weak()), NOW) instanceof NodeVerdict.Fence).isEqualTo(fences);
  }

  /** Where the process itself does not come to its collective nothing speaks of a device. */
  @Test
  void shouldNotTakeAProcessThatStandsForADevice() {
    assertThat(decide(named(HIT, false), List.of(weak()), NOW))
        .isInstanceOf(NodeVerdict.NoAction.class);
  }

  /** A program can write its dumps and cause such a fault: two words of one tenant. */
  @Test
  void shouldNotFenceForAFaultThatProgramsCause() {
    FaultView fault = xid31("job-a").build().withLastSeen(HIT);
    assertThat(decide(named(T0, true), List.of(fault), NOW))
        .isInstanceOf(NodeVerdict.NoAction.class);
  }

  /** It marks devices for harmless codes as well. */
  @Test
  void shouldNotFenceForTheWordOfADevicePlugin() {
    FaultView fault = weak().withDetector("device-plugin");
    assertThat(decide(named(HIT, true), List.of(fault), NOW))
        .isInstanceOf(NodeVerdict.NoAction.class);
  }

  /** Each namespace answers with its quota for fences that its programs have a share in. */
  @Test
  void shouldCountForTheQuotaOfTheNamespace() {
    NodeSnapshot s =
        new NodeSnapshot(
            named(HIT, true),
            List.of(weak()),
            List.of(),
            List.of(new NodeSnapshot.Tenant(Given.job().view(), POLICY)),
            Map.of("team", Set.of("n-7", "n-8", "n-9")));
    assertThat(NodeVerdicts.decide(s, POLICY, NOW)).isInstanceOf(NodeVerdict.OverQuota.class);
  }

  /** Old bursts leave the object: what was fenced for both stays so until the fault is gone. */
  @Test
  void shouldNotLiftTheFenceBecauseTimePasses() {
    FaultView later =
        weak().with(b -> b.incidents(List.of()).lastSeen(HIT.plus(Duration.ofHours(5))));
    NodeView ours =
        named(HIT, true).with(b -> b.unschedulable(true).fencedBy("fault/" + later.name()));
    assertThat(decide(ours, List.of(later), NOW)).isInstanceOf(NodeVerdict.NoAction.class);
    FaultView gone = later.with(b -> b.active(false).clearedBy("driver"));
    assertThat(decide(ours, List.of(gone), NOW)).isInstanceOf(NodeVerdict.Release.class);
  }
}
