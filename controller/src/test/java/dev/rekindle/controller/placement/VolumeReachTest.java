package dev.rekindle.controller.placement;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.PlacementPlan.Refusal;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.BoundVolume;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.PodNeeds.Condition;
import dev.rekindle.controller.model.PodNeeds.Term;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pods with a volume that few nodes reach. */
class VolumeReachTest {
  private static PodNeeds reachedFrom(String... names) {
    return PodNeeds.NONE
        .withClaims(List.of("ckpt"))
        .withVolumes(
            List.of(
                new BoundVolume(
                    "ckpt",
                    "lvm.hwameistor.io",
                    List.of(
                        new Term(
                            List.of(),
                            List.of(new Condition("metadata.name", "In", List.of(names))))))));
  }

  private static List<Replica> of(PodNeeds master, PodNeeds worker, int workers) {
    return List.of(
        new Replica("Master", 1, RestartPolicy.ALWAYS, 8, master),
        new Replica("Worker", workers, RestartPolicy.ALWAYS, 8, worker));
  }

  private static List<NodeView> nodes(int count) {
    return IntStream.range(0, count).mapToObj(i -> node("node-" + i)).toList();
  }

  private static Optional<String> missing(
      List<Replica> gang, List<NodeView> nodes, List<String> excluded, Map<String, Long> taken) {
    return CapacityCheck.missing(gang, nodes, excluded, taken, Map.of());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        // reached | taken | excluded | what is said of it
        "node-0 | - | - | -",
        "node-0 | node-3 | - | -",
        "node-0 | node-0 | - | only node-0 (0 of 8 GPUs free) reaches it",
        "node-0 | - | node-0 | only node-0 (excluded) reaches it",
        "node-0 node-1 | node-0 | - | -",
        "node-0 node-1 | node-0 | node-1"
            + " | only node-0 (0 of 8 GPUs free), node-1 (excluded) reach it",
        "node-9 | - | - | no node of the cluster reaches it",
      })
  void shouldCountOnlyNodesThatReachTheVolumeAndNameIt(
      String reached, String taken, String excluded, String said) {
    Optional<String> missing =
        missing(
            of(reachedFrom(reached.split(" ")), PodNeeds.NONE, 2),
            nodes(5),
            excluded == null ? List.of() : List.of(excluded),
            taken == null ? Map.of() : Map.of(taken, 8L));

    assertThat(missing.isPresent()).isEqualTo(said != null);
    missing.ifPresent(
        why ->
            assertThat(why)
                .startsWith("needed: 3 pods with 8 GPUs; free: ")
                .endsWith("; claim ckpt (lvm.hwameistor.io): " + said));
  }

  @Test
  void shouldNameAFewOfManyNodesThatReachAVolume() {
    Map<String, Long> taken = new HashMap<>();
    IntStream.range(0, 5).forEach(i -> taken.put("node-" + i, 8L));

    assertThat(
            missing(
                of(reachedFrom("node-0", "node-1", "node-2", "node-3", "node-4"), PodNeeds.NONE, 1),
                nodes(9),
                List.of(),
                taken))
        .hasValueSatisfying(
            why -> assertThat(why).endsWith("node-2 (0 of 8 GPUs free) and 2 more" + " reach it"));
  }

  /** The gang would not fit if all nodes reached it, so the volume is not what it waits for. */
  @Test
  void shouldNotNameAVolumeWhereThereIsNoRoomAnyway() {
    assertThat(missing(of(reachedFrom("node-0"), PodNeeds.NONE, 2), nodes(2), List.of(), Map.of()))
        .hasValueSatisfying(why -> assertThat(why).doesNotContain("claim ckpt ("));
  }

  @Test
  void shouldTreatAVolumeThatIsNotKnownAsWithinTheReachOfAll() {
    PodNeeds unknown = PodNeeds.NONE.withClaims(List.of("ckpt"));

    assertThat(missing(of(unknown, PodNeeds.NONE, 2), nodes(3), List.of(), Map.of())).isEmpty();
    assertThat(unknown.withVolumes(reachedFrom("node-0").volumes()).volumes()).hasSize(1);
    assertThat(PodNeeds.NONE.withVolumes(reachedFrom("node-0").volumes()).volumes())
        .as("it has no such claim")
        .isEmpty();
  }

  /** Each way to place the pods is tried. */
  @Test
  void shouldSayThatThereIsRoomExactlyWhereThereIs() {
    SplittableRandom random = new SplittableRandom(182);
    int held = 0;
    for (int round = 0; round < 2_000; round++) {
      int count = 1 + random.nextInt(4);
      int workers = 1 + random.nextInt(3);
      List<NodeView> nodes = new ArrayList<>();
      Map<String, Long> taken = new HashMap<>();
      for (NodeView node : nodes(count)) {
        nodes.add(node.withGpus(8L * random.nextInt(3)));
        taken.put(node.name(), 8L * random.nextInt(2));
      }
      PodNeeds master = random(random, count);
      PodNeeds worker = random.nextInt(3) == 0 ? random(random, count) : PodNeeds.NONE;
      List<Replica> gang = of(master, worker, workers);

      boolean fits = fits(gang, nodes, taken, 0, 1 + workers);

      Optional<String> missing = missing(gang, nodes, List.of(), taken);
      assertThat(missing.isEmpty()).as("%s on %s beside %s", gang, nodes, taken).isEqualTo(fits);
      Optional<String> seat =
          MasterSeat.of(gang, nodes, List.of(), List.of(), List.of(), taken, Map.of());
      seat.ifPresent(
          name -> assertThat(master.outOfReach(node(name))).as("the seat of the master").isEmpty());
      held += missing.isPresent() ? 1 : 0;
    }
    assertThat(held).isBetween(200, 1_800);
  }

  private static PodNeeds random(SplittableRandom random, int count) {
    return reachedFrom(
        IntStream.range(0, count)
            .filter(_ -> random.nextBoolean())
            .mapToObj(i -> "node-" + i)
            .toArray(String[]::new));
  }

  private static boolean fits(
      List<Replica> gang, List<NodeView> nodes, Map<String, Long> taken, int pod, int pods) {
    if (pod == pods) {
      return true;
    }
    PodNeeds needs = gang.get(pod == 0 ? 0 : 1).needs();
    for (NodeView node : nodes) {
      long used = Objects.requireNonNull(taken.get(node.name()));
      if (used + 8 <= node.gpus() && needs.outOfReach(node).isEmpty()) {
        Map<String, Long> then = new HashMap<>(taken);
        then.put(node.name(), used + 8);
        if (fits(gang, nodes, then, pod + 1, pods)) {
          return true;
        }
      }
    }
    return false;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        // master | worker | taken | avoided | kept | seat
        "node-1 | - | - | - | - | node-1",
        "node-1 node-2 | - | - | - | - | node-1",
        "node-1 node-2 | - | node-1 | - | - | node-2",
        "node-1 node-2 | - | - | node-1 | - | node-2",
        "node-1 node-2 | - | - | - | node-2 | node-2",
        "node-1 | - | node-1 | - | - | -",
        // Two workers cannot fill three nodes.
        "node-1 node-2 node-3 | - | - | - | - | -",
        // They have nowhere else to go.
        "node-1 node-2 | node-1 node-2 | - | - | - | -",
        "- | - | - | - | - | -",
      })
  void shouldLeaveANodeToTheMasterWhereItsGangCouldFillAllThatReachItsVolume(
      String master, String worker, String taken, String avoided, String kept, String seat) {
    assertThat(
            MasterSeat.of(
                of(
                    master == null ? PodNeeds.NONE : reachedFrom(master.split(" ")),
                    worker == null ? PodNeeds.NONE : reachedFrom(worker.split(" ")),
                    2),
                nodes(5),
                List.of(),
                avoided == null ? List.of() : List.of(avoided),
                kept == null ? List.of() : List.of(kept),
                taken == null ? Map.of() : Map.of(taken, 8L),
                Map.<String, Amounts>of()))
        .isEqualTo(Optional.ofNullable(seat));
  }

  private static Replacements.Result plan(
      PodNeeds master, PodNeeds worker, List<String> leaving, List<String> free) {
    JobView job = job().view().withReplicas(of(master, worker, 2));
    Map<String, NodeView> nodes = new HashMap<>();
    for (int i = 0; i < 3; i++) {
      nodes.put("node-" + i, node("node-" + i).withLabels(Map.of("leaf", "a")));
    }
    free.forEach(name -> nodes.put(name, node(name).withLabels(Map.of("leaf", "a"))));
    nodes.put("node-9", node("node-9").withLabels(Map.of("leaf", "b")));
    return Replacements.plan(
        new Gang(job, gang(""), leaving, nodes, List.of(), Map.of(), Map.of(), List.of()),
        List.of("leaf"));
  }

  @Test
  void shouldPlanAFartherNodeThatReachesTheVolume() {
    var plan =
        plan(reachedFrom("node-0", "node-9"), PodNeeds.NONE, List.of("node-0"), List.of("node-4"))
            .planned()
            .orElseThrow();

    assertThat(plan.nodes()).containsExactly("node-9");
    assertThat(plan.refused()).contains(new Refusal("node-4", "out of reach of claim ckpt"));
  }

  @Test
  void shouldPlanNothingWhereNoFreeNodeReachesTheVolume() {
    assertThat(
            plan(reachedFrom("node-0"), PodNeeds.NONE, List.of("node-0"), List.of("node-4"))
                .missing())
        .contains("there is a place for 0")
        .contains("out of reach of claim ckpt");
  }

  /** The master would take the first free node, and it is the only one for the worker. */
  @Test
  void shouldPlanPodsWithAVolumeFirst() {
    var plan =
        plan(
                PodNeeds.NONE,
                reachedFrom("node-1", "node-2", "node-4"),
                List.of("node-0", "node-1"),
                List.of("node-4", "node-5"))
            .planned()
            .orElseThrow();

    assertThat(plan.replacements()).extracting(r -> r.to()).containsExactly("node-5", "node-4");
  }
}
