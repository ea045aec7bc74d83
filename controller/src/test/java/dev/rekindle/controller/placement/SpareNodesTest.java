package dev.rekindle.controller.placement;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Labels;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.controller.model.SpareOrder;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.network.ClusterNetworks;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A gang on node-0 and node-1 of leaf a, and node-2 of leaf b. */
class SpareNodesTest {
  private static final List<String> LEAF = List.of("leaf");

  private final Map<String, NodeView> nodes = new HashMap<>();
  private final Map<String, Long> taken = new HashMap<>();

  SpareNodesTest() {
    put("a", "node-0", "node-1", "node-3", "node-4");
    put("b", "node-2", "node-5");
    put("c", "node-6");
  }

  private void put(String leaf, String... names) {
    for (String name : names) {
      nodes.put(name, node(name).withLabels(Map.of("leaf", leaf)));
    }
  }

  private List<String> choose(Set<String> spares) {
    JobView job = job().view();
    return SpareNodes.choose(
        new Gang(job, gang(""), List.of(), nodes, List.of(), taken, Map.of(), List.of()),
        job.replicas().getLast(),
        spares,
        LEAF);
  }

  @Test
  void shouldBeginWithTheLeafGroupThatHasMostOfTheGang() {
    assertThat(choose(Set.of())).containsExactly("node-3", "node-4");
  }

  @Test
  void shouldGiveEachLeafGroupOneBeforeAnyHasTwo() {
    taken.put("node-3", 8L);
    assertThat(choose(Set.of("node-3"))).containsExactly("node-5");
    taken.put("node-5", 8L);
    assertThat(choose(Set.of("node-3", "node-5"))).containsExactly("node-4");
  }

  @Test
  void shouldGoElsewhereWhereNoLeafGroupOfTheGangHasRoom() {
    Set.of("node-3", "node-4", "node-5").forEach(n -> taken.put(n, 1L));
    assertThat(choose(Set.of())).containsExactly("node-6");
    taken.put("node-6", 8L);
    assertThat(choose(Set.of())).isEmpty();
  }

  @Test
  void shouldOfferNoNodeThatIsLeftAlone() {
    nodes.computeIfPresent("node-3", (_, n) -> n.withUnschedulable(true));
    nodes.computeIfPresent("node-4", (_, n) -> n.withLabels(Map.of("leaf", "a", Labels.LEMON, "")));

    assertThat(choose(Set.of())).containsExactly("node-5");
  }

  @Test
  void shouldOfferFewNodesOfABigFabric() {
    for (int i = 10; i < 100; i++) {
      put("a", "node-" + i);
    }
    assertThat(choose(Set.of())).hasSize(SpareOrder.NODES).first().isEqualTo("node-10");
  }

  @Test
  void shouldOfferOnlyNodesWithRoomBesideTheGangWhateverIsDrawn() {
    Random random = new Random(40);
    for (int i = 0; i < 2_000; i++) {
      taken.clear();
      nodes.keySet().forEach(n -> taken.put(n, (long) random.nextInt(2) * 8));
      Set<String> spares = random.nextBoolean() ? Set.of() : Set.of("node-4");

      assertThat(choose(spares))
          .allMatch(n -> taken.getOrDefault(n, 0L) == 0)
          .doesNotContain("node-0", "node-1", "node-2")
          .noneMatch(spares::contains);
    }
  }

  private static SpareView spare(String job, String node, Phase phase) {
    return new SpareView(
        job().view().key(), "s", 0, "u-" + node, job, "t", node, phase, false, 8, Amounts.NONE, T0);
  }

  @Test
  void shouldTakeTheNodeOfAWarmSpareOfTwoThatAreAsNear() {
    JobView job = job().view();
    assertThat(plan(job, List.of(spare(job.uid(), "node-4", Phase.RUNNING))))
        .containsExactly("node-4");
    assertThat(plan(job, List.of(spare(job.uid(), "node-4", Phase.PENDING))))
        .as("its image is not there yet")
        .containsExactly("node-3");
    assertThat(plan(job, List.of(spare(job.uid(), "node-5", Phase.RUNNING))))
        .as("nearness comes first")
        .containsExactly("node-3");
  }

  @Test
  void shouldUseTheRoomOfOthersSparesOnlyWhereThereIsNoOther() {
    JobView job = job().view();
    SpareView one = spare("other", "node-3", Phase.RUNNING);
    assertThat(plan(job, List.of(one))).containsExactly("node-4");
    Set.of("node-4", "node-5", "node-6").forEach(n -> taken.put(n, 8L));
    assertThat(plan(job, List.of(one))).containsExactly("node-3");
  }

  private List<String> plan(JobView job, List<SpareView> spares) {
    return Replacements.plan(
            new Gang(
                job,
                gang(""),
                List.of("node-1"),
                nodes,
                List.of(),
                taken,
                Map.of(),
                List.of(),
                ClusterNetworks.NONE,
                SpareRoom.of(spares, job.uid())),
            LEAF)
        .planned()
        .orElseThrow()
        .nodes();
  }
}
