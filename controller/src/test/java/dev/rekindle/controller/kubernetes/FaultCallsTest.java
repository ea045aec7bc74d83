package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus.State;
import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.fault.FaultObservation;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Faults that the leader itself writes and clears. */
class FaultCallsTest extends GatewayFixture {
  private static FaultObservation observation(String detector, FenceGuidance fence, Instant seen) {
    return new FaultObservation(
        new NodeFaultSpec(
            "n1",
            ComponentType.NODE,
            "",
            "COND-GPUMISSING",
            detector,
            fence,
            "investigate",
            "",
            seen,
            "condition GPUMissing is True"),
        FaultObservation.NO_SEQUENCE,
        seen,
        "",
        new AffectedPod("team", "mnist-master-0", "u"));
  }

  private NodeFault fault() {
    return client.resources(NodeFault.class).withName("n1.node.cond-gpumissing").get();
  }

  @Test
  void shouldWriteAFaultOnceHoweverOftenItIsRaised() {
    gateway.raise(observation("condition", FenceGuidance.ALWAYS, NOW));
    String version = fault().getMetadata().getResourceVersion();
    gateway.raise(observation("condition", FenceGuidance.ALWAYS, NOW));

    assertThat(fault().getMetadata().getResourceVersion()).isEqualTo(version);
    assertThat(fault().getMetadata().getLabels())
        .as("agents clear what carries their label")
        .isNullOrEmpty();
    assertThat(fault().getStatus().count()).isEqualTo(1);
    assertThat(fault().getStatus().incidents())
        .singleElement()
        .satisfies(i -> assertThat(i.pod()).isEqualTo("mnist-master-0"));
  }

  @Test
  void shouldClearAFaultOnceAndLetItStandAgain() {
    gateway.raise(observation("condition", FenceGuidance.ALWAYS, NOW));
    gateway.clear("n1.node.cond-gpumissing", "condition");
    String version = fault().getMetadata().getResourceVersion();
    gateway.clear("n1.node.cond-gpumissing", "condition");

    assertThat(fault().getMetadata().getResourceVersion()).isEqualTo(version);
    assertThat(fault().getStatus().state()).isEqualTo(State.CLEARED);
    assertThat(fault().getStatus().clearedBy()).isEqualTo("condition");
    assertThat(fault().getStatus().clearedAt()).isEqualTo(NOW);

    gateway.raise(observation("condition", FenceGuidance.ALWAYS, NOW.plusSeconds(60)));
    assertThat(fault().getStatus().state()).isEqualTo(State.ACTIVE);
    assertThat(fault().getStatus().count()).isEqualTo(2);
    assertThat(fault().getStatus().clearedBy()).isEmpty();
    assertThat(fault().getStatus().incidents()).as("one burst").hasSize(1);

    gateway.raise(observation("condition", FenceGuidance.ALWAYS, NOW.plusSeconds(600)));
    assertThat(fault().getStatus().incidents()).hasSize(2);
  }

  @Test
  void shouldCountWhatWasSeenBeforeAndFollowWhatItMeansNow() {
    gateway.raise(observation("condition", FenceGuidance.ALWAYS, NOW));
    gateway.raise(observation("condition", FenceGuidance.NEVER, NOW.plusSeconds(60)));

    assertThat(fault().getSpec().fence()).isEqualTo(FenceGuidance.NEVER);
    assertThat(fault().getSpec().firstSeen()).isEqualTo(NOW);
    assertThat(fault().getStatus().count()).isEqualTo(2);
    assertThat(fault().getStatus().lastSeen()).isEqualTo(NOW.plusSeconds(60));
  }

  @Test
  void shouldLeaveTheFaultsOfAgentsAlone() {
    gateway.raise(observation("kmsg", FenceGuidance.ALWAYS, NOW));
    String version = fault().getMetadata().getResourceVersion();
    gateway.raise(observation("condition", FenceGuidance.NEVER, NOW.plusSeconds(60)));
    gateway.clear("n1.node.cond-gpumissing", "condition");
    gateway.clear("n1.node.never-there", "condition");

    assertThat(fault().getMetadata().getResourceVersion()).isEqualTo(version);
  }
}
