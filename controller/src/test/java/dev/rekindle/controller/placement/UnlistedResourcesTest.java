package dev.rekindle.controller.placement;

import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.NodeRoom;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodNeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class UnlistedResourcesTest {
  private static final String MEMORY_OF_GPU = "nvidia.com/gpumem";
  private static final String GPU = "nvidia.com/gpu";
  private static final String MIG = "nvidia.com/mig-1g.10gb";
  private static final String RAIL = "rdma/hca_3";
  private static final String NOTE = "; not counted, as no node lists it: ";

  static Stream<Arguments> gangs() {
    return Stream.of(
        argumentSet("HAMi's, that no node lists", Map.of(MEMORY_OF_GPU, 3_000L), offers(), ""),
        argumentSet("a MIG that no node lists", Map.of(MIG, 1L), offers(), ""),
        argumentSet("listed with enough", Map.of(RAIL, 1L), offers(RAIL, 8L), ""),
        argumentSet(
            "listed with too little", Map.of(RAIL, 2L), offers(RAIL, 1L), "2 short of " + RAIL),
        argumentSet("listed with 0", Map.of(MIG, 1L), offers(MIG, 0L), "2 short of " + MIG),
        argumentSet("GPUs, too few of them", Map.of(GPU, 9L), offers(), "2 short of " + GPU),
        argumentSet(
            "not of a vendor", Map.of("hugepages-1Gi", 1L), offers(), "2 short of hugepages-1Gi"),
        argumentSet(
            "both",
            Map.of(MEMORY_OF_GPU, 3_000L, "nvidia.com/gpucores", 50L, RAIL, 9L),
            offers(RAIL, 8L),
            "2 short of " + RAIL + NOTE + "nvidia.com/gpucores, " + MEMORY_OF_GPU));
  }

  @ParameterizedTest
  @MethodSource("gangs")
  void shouldCountWhatSomeNodeLists(
      Map<String, Long> requests, List<NodeView> nodes, String missing) {
    String said =
        CapacityCheck.missing(gang(requests), nodes, List.of(), Map.of(), Map.of()).orElse("");

    assertThat(said.replaceFirst(".*do not fit: ", "")).isEqualTo(missing);
  }

  @Test
  void shouldCountWhatOnlyANodeListsThatTheGangMustAvoid() {
    List<NodeView> nodes = new ArrayList<>(offers());
    nodes.add(node("node-9").withRoom(new NodeRoom(Amounts.of(Map.of(RAIL, 8L)), List.of())));

    assertThat(
            CapacityCheck.missing(
                gang(Map.of(RAIL, 1L)), nodes, List.of("node-9"), Map.of(), Map.of()))
        .hasValueSatisfying(said -> assertThat(said).contains("2 short of " + RAIL));
  }

  @Test
  void shouldPlanNodesWithoutWhatNoNodeListsAndSaySo() {
    Map<String, NodeView> nodes = new TreeMap<>();
    for (String name : List.of("node-0", "node-1", "node-2", "node-4")) {
      nodes.put(name, node(name).withRoom(room(Map.of(GPU, 8L))));
    }
    JobView view = job().view();
    JobView job =
        view.withReplicas(
            view.replicas().stream()
                .map(
                    r ->
                        new Replica(
                            r.type(),
                            r.count(),
                            r.restart(),
                            r.gpus(),
                            needs(Map.of(MEMORY_OF_GPU, 1L))))
                .toList());

    Replacements.Result result =
        Replacements.plan(
            new Gang(
                job,
                Given.gang(""),
                List.of("node-1"),
                nodes,
                List.of(),
                Map.of(),
                Map.of(),
                List.of()),
            List.of());

    assertThat(result.missing()).isEmpty();
    assertThat(result.planned().orElseThrow().nodes()).containsExactly("node-4");
    assertThat(result.uncounted()).isEqualTo(NOTE + MEMORY_OF_GPU);
    assertThat(PossibleNodes.of(job, nodes.values())).hasSize(4);
  }

  private static List<Replica> gang(Map<String, Long> requests) {
    return List.of(new Replica("Worker", 2, RestartPolicy.NEVER, 8, needs(requests)));
  }

  private static PodNeeds needs(Map<String, Long> requests) {
    return new PodNeeds(Amounts.of(requests), Map.of(), List.of(), List.of(), false);
  }

  /** Two nodes with eight GPUs each, and nothing else. */
  private static List<NodeView> offers() {
    return offers(GPU, 8L);
  }

  private static List<NodeView> offers(String resource, long amount) {
    Map<String, Long> amounts = new TreeMap<>(Map.of(GPU, 8L));
    amounts.put(resource, amount);
    return List.of(node("node-0").withRoom(room(amounts)), node("node-1").withRoom(room(amounts)));
  }

  private static NodeRoom room(Map<String, Long> amounts) {
    Set<String> zero = new TreeSet<>();
    amounts.forEach(
        (name, amount) -> {
          if (amount == 0) {
            zero.add(name);
          }
        });
    return new NodeRoom(Amounts.of(amounts), zero, List.of());
  }
}
