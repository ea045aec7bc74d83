package dev.rekindle.controller.placement.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.placement.plan.GangPlan.Move;
import dev.rekindle.controller.placement.topology.Fabric;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Expected results on two fabrics of rail-optimised clusters: F1 has 128 nodes in 4 leaf groups, F2
 * has 1,024 nodes in 32 leaf groups, four of which are one pod.
 */
class GangPlannerTest {
  private static final int GROUP = 32;

  private static String name(int node) {
    return "node-%04d".formatted(node);
  }

  private static Fabric f1() {
    return fabric(128, List.of("leaf"));
  }

  private static Fabric f2() {
    return fabric(1_024, List.of("leaf", "spine"));
  }

  private static Fabric fabric(int size, List<String> keys) {
    List<NodeView> nodes = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      nodes.add(RandomTree.node(name(i), "g" + i / GROUP, "p" + i / (4 * GROUP)));
    }
    return Fabric.of(keys, nodes);
  }

  private static List<Seat> gang(IntStream nodes, Integer... lost) {
    List<Seat> seats = new ArrayList<>();
    nodes.forEach(
        i -> seats.add(new Seat("worker-" + seats.size(), name(i), Set.of(lost).contains(i))));
    return seats;
  }

  private static List<Candidate> free(IntStream nodes) {
    return nodes.mapToObj(i -> new Candidate(name(i), 1, false, 0)).toList();
  }

  /** The first so many nodes of a group from a node on. */
  private static IntStream of(int group, int from, int count) {
    return IntStream.range(group * GROUP + from, group * GROUP + from + count);
  }

  private static IntStream all(IntStream... parts) {
    return Arrays.stream(parts).flatMapToInt(part -> part);
  }

  private static IntStream thirtyOfEachInPodZero() {
    IntPredicate isThirty = i -> i % GROUP < 30;
    return IntStream.range(0, 4 * GROUP).filter(isThirty);
  }

  static List<Arguments> expected() {
    return List.of(
        argumentSet(
            "1 the next node of the leaf group",
            f1(),
            gang(IntStream.range(0, 16), 5),
            free(IntStream.range(16, 128)),
            List.of(16),
            0,
            1),
        argumentSet(
            "2 the leaf group that it fits best",
            f1(),
            gang(of(0, 0, 32), 7),
            free(all(of(1, 0, 20), of(2, 5, 3), of(3, 0, 32))),
            List.of(2 * GROUP + 5),
            1,
            2),
        argumentSet(
            "3 a leaf group where survivors are before one that it fits better",
            f1(),
            gang(all(of(0, 0, 32), of(1, 0, 30)), 3),
            free(all(of(1, 30, 2), of(2, 0, 1), of(3, 0, 32))),
            List.of(GROUP + 30),
            1,
            2),
        argumentSet(
            "8a a spare of the leaf group",
            f2(),
            gang(thirtyOfEachInPodZero(), 40),
            free(all(of(1, 30, 1), of(2, 30, 1), of(20, 0, 1))),
            List.of(GROUP + 30),
            0,
            4),
        argumentSet(
            "8b a spare of the pod",
            f2(),
            gang(thirtyOfEachInPodZero(), 40),
            free(all(of(2, 30, 1), of(20, 0, 1))),
            List.of(2 * GROUP + 30),
            1,
            4),
        argumentSet(
            "8c a spare across the core",
            f2(),
            gang(thirtyOfEachInPodZero(), 40),
            free(of(20, 0, 1)),
            List.of(20 * GROUP),
            2,
            5),
        argumentSet(
            "9 the spare of a leaf group stays with its own fault",
            f2(),
            gang(thirtyOfEachInPodZero(), 5, 40),
            free(all(of(1, 30, 1), of(20, 0, 1))),
            List.of(20 * GROUP, GROUP + 30),
            2,
            5));
  }

  @ParameterizedTest
  @MethodSource("expected")
  void shouldChoose(
      Fabric fabric,
      List<Seat> gang,
      List<Candidate> free,
      List<Integer> nodes,
      int mostHops,
      int leafGroups) {
    GangPlan plan = GangPlanner.plan(fabric, gang, free).orElseThrow();

    assertThat(plan.moves()).map(Move::to).isEqualTo(nodes.stream().map(i -> name(i)).toList());
    assertThat(plan.mostHops()).isEqualTo(mostHops);
    assertThat(plan.leafGroups()).isEqualTo(leafGroups);
  }

  @Test
  void shouldPlanNothingWhereAPlaceIsMissingForOne() {
    assertThat(GangPlanner.plan(f1(), gang(IntStream.range(0, 128), 9), List.of())).isEmpty();
    assertThat(GangPlanner.plan(f1(), gang(of(0, 0, 32), 1, 2), free(of(1, 0, 1)))).isEmpty();
  }

  @Test
  void shouldTakeTheNodeWithFewerIncidentsOnAFlatFabricAndThenByName() {
    List<Candidate> free =
        List.of(
            new Candidate(name(40), 1, false, 2),
            new Candidate(name(42), 1, false, 0),
            new Candidate(name(41), 1, false, 0));

    assertThat(
            GangPlanner.plan(fabric(128, List.of("none")), gang(of(0, 0, 4), 1, 2), free)
                .orElseThrow()
                .moves())
        .map(Move::to)
        .containsExactly(name(41), name(42));
  }

  @Test
  void shouldTakeASecondChoiceOnlyWhereTheOthersDoNotSuffice() {
    Candidate near = new Candidate(name(4), 1, true, 0);
    Candidate far = new Candidate(name(100), 1, false, 0);

    assertThat(
            GangPlanner.plan(f1(), gang(of(0, 0, 4), 1), List.of(near, far)).orElseThrow().moves())
        .map(Move::to)
        .containsExactly(name(100));
    assertThat(
            GangPlanner.plan(f1(), gang(of(0, 0, 4), 1, 2), List.of(near, far))
                .orElseThrow()
                .moves())
        .map(Move::to)
        .containsExactlyInAnyOrder(name(4), name(100));
  }

  @Test
  void shouldPutSeveralPodsOnANodeWithPlacesForThem() {
    List<Candidate> free =
        List.of(new Candidate(name(4), 2, false, 0), new Candidate(name(40), 4, false, 0));

    assertThat(GangPlanner.plan(f1(), gang(of(0, 0, 4), 0, 1, 2), free).orElseThrow().moves())
        .map(Move::to)
        .containsExactlyInAnyOrder(name(4), name(4), name(40));
  }

  @Test
  void shouldStayNearTheNextRankWhereTheNodeItselfIsGone() {
    List<Seat> gang = new ArrayList<>(gang(of(2, 0, 4)));
    gang.set(1, new Seat("worker-1", "gone", true));

    assertThat(
            GangPlanner.plan(f1(), gang, free(all(of(0, 0, 4), of(2, 8, 1)))).orElseThrow().moves())
        .map(Move::to)
        .containsExactly(name(2 * GROUP + 8));
  }

  @Test
  void shouldMoveNothingOfAGangThatIsComplete() {
    assertThat(GangPlanner.plan(f1(), gang(of(0, 0, 4)), List.of()).orElseThrow().moves())
        .isEmpty();
  }
}
