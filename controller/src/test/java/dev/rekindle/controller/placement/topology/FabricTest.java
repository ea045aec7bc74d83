package dev.rekindle.controller.placement.topology;

import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.controller.model.NodeView;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FabricTest {
  private static NodeView labelled(String name, Map<String, String> labels) {
    return node(name).withLabels(labels);
  }

  @ParameterizedTest
  @CsvSource({
    "fabric.topograph.run/tier-0, fabric.topograph.run/tier-1",
    "network.topology.nvidia.com/leaf, network.topology.nvidia.com/spine",
    "topology.k8s.aws/network-node-layer-3, topology.k8s.aws/network-node-layer-2",
    "cloud.google.com/gce-topology-subblock, cloud.google.com/gce-topology-block",
    "oci.oraclecloud.com/host.rack_id, oci.oraclecloud.com/host.network_block_id",
    "ib.coreweave.cloud/leafgroup, ib.coreweave.cloud/superpod",
    "topology.kubernetes.io/zone, topology.kubernetes.io/region"
  })
  void shouldKnowTheLabelsOfDiscoveryAndClouds(String near, String far) {
    List<NodeView> nodes =
        List.of(
            labelled("a", Map.of(far, "f", near, "n1")),
            labelled("b", Map.of(far, "f", near, "n1")),
            labelled("c", Map.of(far, "f", near, "n2")),
            labelled("d", Map.of(far, "g", near, "n3")));
    Fabric fabric = Fabric.of(List.of(), nodes);

    assertThat(fabric.levels()).containsExactly(near, far);
    assertThat(fabric.distance("a", "b")).isZero();
    assertThat(fabric.distance("a", "c")).isEqualTo(1);
    assertThat(fabric.distance("a", "d")).isEqualTo(2);
  }

  @Test
  void shouldTakeTheDomainOfNvlinkForTheNearestLevel() {
    Fabric fabric =
        Fabric.of(
            List.of(),
            List.of(
                labelled("a", Map.of("nvidia.com/gpu.clique", "x.1", TIER_0, "l")),
                labelled("b", Map.of("nvidia.com/gpu.clique", "x.2", TIER_0, "l"))));

    assertThat(fabric.levels()).containsExactly("nvidia.com/gpu.clique", TIER_0);
    assertThat(fabric.distance("a", "b")).isEqualTo(1);
  }

  private static final String TIER_0 = "fabric.topograph.run/tier-0";

  @Test
  void shouldTakeTheKeysOfThePolicyAlone() {
    Fabric fabric =
        Fabric.of(
            List.of("rack", "hall"),
            List.of(labelled("a", Map.of("rack", "r", TIER_0, "l")), labelled("b", Map.of())));

    assertThat(fabric.levels()).containsExactly("rack");
  }

  @Test
  void shouldBeFlatWithoutLabels() {
    Fabric fabric = Fabric.of(List.of(), List.of(node("a"), node("b")));

    assertThat(fabric.flat()).isTrue();
    assertThat(fabric.distance("a", "b")).isZero();
  }

  @Test
  void shouldHoldANodeWithoutALabelForAloneAtThatLevel() {
    Fabric fabric =
        Fabric.of(
            List.of("leaf", "spine"),
            List.of(
                labelled("a", Map.of("leaf", "l", "spine", "s")),
                labelled("b", Map.of("spine", "s")),
                labelled("c", Map.of("spine", "s"))));

    assertThat(fabric.distance("a", "b")).isEqualTo(1);
    assertThat(fabric.distance("b", "c")).isEqualTo(1);
  }

  @Test
  void shouldDistinguishTwoRacksOfOneName() {
    Fabric fabric =
        Fabric.of(
            List.of("rack", "zone"),
            List.of(
                labelled("a", Map.of("rack", "1", "zone", "x")),
                labelled("b", Map.of("rack", "1", "zone", "y"))));

    assertThat(fabric.distance("a", "b")).isEqualTo(2);
  }

  @Test
  void shouldLeaveOutLevelsThatNoNodeOfTheGangIsIn() {
    List<NodeView> nodes =
        List.of(
            labelled("a", Map.of(TIER_0, "l")),
            labelled("rack-scale", Map.of("nvidia.com/gpu.clique", "x.1", TIER_0, "l")));

    assertThat(Fabric.of(List.of(), nodes, List.of("a", "gone")).levels()).containsExactly(TIER_0);
    assertThat(Fabric.of(List.of(), nodes, List.of("gone")).levels()).hasSize(2);
  }

  @Test
  void shouldRefuseANodeThatItDoesNotKnow() {
    Fabric fabric = Fabric.of(List.of(), List.of(node("a")));

    assertThatThrownBy(() -> fabric.path("b")).isInstanceOf(IllegalArgumentException.class);
  }
}
