package dev.rekindle.controller.placement;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.Given.nodes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Policies;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.Policy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlacementTest {
  private static final Policy BY_LEAF = Policies.ofYaml("restart: {topologyKeys: [leaf, spine]}");

  @Test
  void shouldPreferTheLeavesOfTheNodesThatStay() {
    assertThat(Placement.preferred(BY_LEAF, List.of("node-2", "node-0"), nodes()))
        .isEqualTo(Map.of("leaf", List.of("leaf-0", "leaf-1")));
  }

  @Test
  void shouldSayNothingOfALabelWithVeryManyValues() {
    Map<String, NodeView> many = new HashMap<>();
    for (int i = 0; i < 2_048; i++) {
      String leaf = "leaf-" + i / 32;
      String rack = "rack-" + i / 4;
      String name = "node-" + i;
      many.put(name, node(name).withLabels(Map.of("leaf", leaf, "spine", rack)));
    }
    Map<String, List<String>> preferred = Placement.preferred(BY_LEAF, many.keySet(), many);
    assertThat(preferred).containsOnlyKeys("leaf");
    assertThat(preferred.get("leaf")).hasSize(Placement.MAX_VALUES);
  }

  @Test
  void shouldSayNothingOfALabelThatNoNodeCarries() {
    assertThat(Placement.preferred(BY_LEAF, List.of(), nodes())).isEmpty();
  }

  @Test
  void shouldKnowLabelsThatNoPolicyNames() {
    Map<String, NodeView> nodes =
        Map.of(
            "a", node("a").withLabels(Map.of("fabric.topograph.run/tier-0", "leaf-7")),
            "b", node("b").withLabels(Map.of("fabric.topograph.run/tier-0", "leaf-8")));

    assertThat(Placement.preferred(Policy.DEFAULT, List.of("a"), nodes))
        .isEqualTo(Map.of("fabric.topograph.run/tier-0", List.of("leaf-7")));
  }

  @Test
  void shouldCountOnlyNodesThatCouldTakeAPod() {
    List<NodeView> all =
        List.of(
            node("node-0"),
            node("node-1"),
            node("node-2", Readiness.SILENT, T0, false, ""),
            node("node-3", Readiness.READY, T0, true, ""));

    assertThat(Placement.eligible(all, List.of("node-1")))
        .extracting(NodeView::name)
        .containsExactly("node-0");
  }
}
