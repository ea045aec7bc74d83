package dev.rekindle.controller.model;

import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Policies;
import dev.rekindle.detect.node.NodeSigns;
import dev.rekindle.detect.node.Shortfall;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FenceLimitTest {
  /** Ten nodes, two to a leaf: node-0 and node-1 are of leaf-0. */
  private static final List<NodeView> NODES =
      IntStream.range(0, 10).mapToObj(i -> node("node-" + i)).toList();

  @ParameterizedTest
  @CsvSource({
    "3,, 3",
    "3, 20, 2",
    "3, 100, 3",
    "0, 100, 0",
    "8, 5, 1",
    "8, 59, 5",
  })
  void shouldTakeTheLowerOfNumberAndShare(int most, @Nullable Integer percent, int inAll) {
    assertThat(limit(most, percent, null, NODES, "node-0").inAll()).isEqualTo(inAll);
  }

  @Test
  void shouldCountOnlyNodesWithGpus() {
    List<NodeView> half =
        NODES.stream().map(n -> n.name().compareTo("node-5") < 0 ? n : n.withGpus(0)).toList();

    assertThat(limit(10, 40, null, half, "node-0").inAll()).isEqualTo(2);
  }

  @Test
  void shouldCountANodeWhoseDevicePluginIsAway() {
    List<NodeView> away =
        NODES.stream()
            .map(n -> n.withGpus(0).withSigns(short0(n.name().equals("node-0") ? 0 : 8)))
            .toList();

    assertThat(limit(10, 40, null, away, "node-0").inAll()).isEqualTo(4);
  }

  private static NodeSigns short0(long capacity) {
    return new NodeSigns(
        List.of(), List.of(new Shortfall("nvidia.com/gpu", capacity, 0)), List.of(), null);
  }

  @Test
  void shouldHoldInEachPoolAndInAll() {
    FenceLimit limit = limit(4, 50, "leaf", NODES, "node-0");

    assertThat(limit.passed(Set.of(), "node-0")).isEmpty();
    assertThat(limit.passed(Set.of("node-2", "node-4", "node-6"), "node-0")).isEmpty();
    assertThat(limit.passed(Set.of("node-1"), "node-0"))
        .contains("1 in pool leaf=leaf-0 (50 % of 2 GPU nodes)");
    assertThat(limit.passed(Set.of("node-2", "node-4", "node-6", "node-8"), "node-0"))
        .contains("4 in all (maxFencedNodes)");
    assertThat(limit.passed(Set.of("node-0"), "node-0")).as("it has its place").isEmpty();
  }

  @Test
  void shouldNeverLetMorePassThanItSays() {
    for (int most = 0; most < 6; most++) {
      for (int percent = 1; percent <= 100; percent += 9) {
        TreeSet<String> fenced = new TreeSet<>();
        for (NodeView n : NODES) {
          if (limit(most, percent, "leaf", NODES, n.name()).passed(fenced, n.name()).isEmpty()) {
            fenced.add(n.name());
          }
        }
        int share = Math.max(1, 10 * percent / 100);
        assertThat(fenced.size()).isLessThanOrEqualTo(Math.min(most, share));
        int inLeaf = Math.max(1, 2 * percent / 100);
        for (int leaf = 0; leaf < 5; leaf++) {
          String first = "node-" + 2 * leaf;
          String second = "node-" + (2 * leaf + 1);
          assertThat(fenced.stream().filter(Set.of(first, second)::contains).count())
              .isLessThanOrEqualTo(inLeaf);
        }
      }
    }
  }

  private static FenceLimit limit(
      int most,
      @Nullable Integer percent,
      @Nullable String pool,
      List<NodeView> nodes,
      String node) {
    return FenceLimit.of(
        Policies.ofYaml(
            "fencing: {maxNodes: %d, maxPercent: %d, poolLabel: %s}"
                .formatted(most, percent, pool)),
        nodes,
        node);
  }
}
