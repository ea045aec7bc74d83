package dev.rekindle.controller.placement;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.Given.nodes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.cluster.NodeView;
import dev.rekindle.controller.cluster.NodeView.Readiness;
import dev.rekindle.controller.cluster.Policy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlacementTest {
  private static final Policy BY_LEAF = Policy.ofYaml("topologyKeys: [leaf, spine]");

  @Test
  void shouldPreferTheLeavesOfTheNodesThatStay() {
    assertThat(Placement.preferred(BY_LEAF, List.of("node-2", "node-0"), nodes()))
        .isEqualTo(Map.of("leaf", List.of("leaf-0", "leaf-1")));
  }

  @Test
  void shouldSayNothingOfALabelThatNoNodeCarries() {
    assertThat(Placement.preferred(BY_LEAF, List.of(), nodes())).isEmpty();
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
