package dev.rekindle.controller.placement;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.network.Networks.BY_GROUP;
import static dev.rekindle.controller.network.Networks.cluster;
import static dev.rekindle.controller.network.Networks.ofLeaf;
import static dev.rekindle.controller.network.Networks.pool;
import static dev.rekindle.controller.network.Networks.resource;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.PlacementPlan.Refusal;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeRoom;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.network.ClusterNetworks;
import dev.rekindle.controller.network.NetworkWish;
import dev.rekindle.controller.network.PoolView;
import dev.rekindle.controller.network.PoolView.Booking;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A gang on node-0 to node-2 of leaf a, node-1 lost; node-4 and 5 are of leaf a, 8 and 9 of b. */
class RailsTest {
  private static final List<String> LEAF = List.of("leaf");
  private static final Amounts BOTH = Amounts.of(Map.of(resource(1), 4L, resource(2), 4L));

  private final Map<String, NodeView> nodes = new HashMap<>();
  private final List<PodView> pods = gang("");
  private JobView job = asking(job().view(), BY_GROUP);

  RailsTest() {
    for (String name : List.of("node-0", "node-1", "node-2", "node-4", "node-5")) {
      put(name, "a", BOTH);
    }
    put("node-8", "b", BOTH);
    put("node-9", "b", BOTH);
  }

  private static JobView asking(JobView job, NetworkWish wish) {
    PodNeeds needs = new PodNeeds(Amounts.NONE, Map.of(), List.of(), List.of(), false, wish);
    return job.withReplicas(
        job.replicas().stream()
            .map(r -> new JobView.Replica(r.type(), r.count(), r.restart(), r.gpus(), needs))
            .toList());
  }

  private void put(String name, String leaf, Amounts offers) {
    Map<String, String> labels = new TreeMap<>(node(name).labels());
    labels.put("leaf", leaf);
    nodes.put(name, node(name).withLabels(labels).withRoom(new NodeRoom(offers, List.of())));
  }

  /** Bookings of the gang's pods, and of so many others. */
  private Booking[] booked(int others) {
    List<Booking> all = new ArrayList<>();
    pods.forEach(p -> all.add(new Booking(p.job().namespace() + "/" + p.name(), p.uid())));
    for (int i = 0; i < others; i++) {
      all.add(new Booking("web/other-" + i, "o" + i));
    }
    return all.toArray(Booking[]::new);
  }

  private Replacements.Result plan(ClusterNetworks networks, String... leaving) {
    return Replacements.plan(
        new Gang(
            job,
            pods,
            List.of(leaving),
            nodes,
            List.of(),
            Map.of(),
            Map.of(),
            List.of(),
            networks,
            SpareRoom.NONE),
        LEAF);
  }

  private Optional<String> missing(ClusterNetworks networks, Collection<PodView> there) {
    return CapacityCheck.missing(
        job.replicas(),
        nodes.values(),
        List.of("node-1"),
        Map.of(),
        Map.of(),
        NetworkDemand.of(job, there, there, networks));
  }

  @Test
  void shouldTakeTheNearestNodeWhereThePoolHasTheAddressOfThePodThatGoes() {
    ClusterNetworks exact = cluster(pool("r1", 3, booked(0)), pool("r2", 3, booked(0)));

    assertThat(plan(exact, "node-1").planned().orElseThrow().nodes()).containsExactly("node-4");
    assertThat(missing(exact, pods)).isEmpty();
  }

  private List<String> crowded(ClusterNetworks networks, String... kept) {
    return AddressRoom.crowded(
        job.replicas(),
        nodes.values(),
        List.of("node-1"),
        List.of(kept),
        Map.of(),
        Map.of(),
        NetworkDemand.of(job, List.of(), List.of(), networks));
  }

  /** The scheduler knows nothing of pools: it would bind a pod where there is no address for it. */
  @Test
  void shouldPreferOthersToNodesThatSharePoolsWithFewAddresses() {
    PoolView ofB = ofLeaf("b", pool("r1-b", 9));
    PoolView all = pool("r2", 9);

    assertThat(crowded(cluster(ofLeaf("a", pool("r1-a", 9)), ofB, all))).isEmpty();
    assertThat(crowded(cluster(ofLeaf("a", pool("r1-a", 2)), ofB, all)))
        .as("of node-0, node-2, node-4 and node-5 two find addresses")
        .containsExactly("node-4", "node-5");
    assertThat(crowded(cluster(ofLeaf("a", pool("r1-a", 2)), ofB, all), "node-5"))
        .as("those that the gang was on are wanted first")
        .containsExactly("node-2", "node-4");
    assertThat(crowded(cluster(ofLeaf("a", pool("r1-a", 1, new Booking("web/x", "x"))), ofB, all)))
        .containsExactly("node-0", "node-2", "node-4", "node-5");
    assertThat(crowded(cluster(pool("r1", 3), pool("r2", 3)))).as("enough for all").isEmpty();
    assertThat(crowded(ClusterNetworks.NONE)).isEmpty();
  }

  @Test
  void shouldRefuseNodesOfAFullPoolAndNameRailAndPool() {
    ClusterNetworks leaves =
        cluster(
            ofLeaf("a", pool("r1-a", 3, booked(0))),
            ofLeaf("b", pool("r1-b", 1, new Booking("web/x", "x"))),
            pool("r2", 9, booked(0)));
    nodes.remove("node-4");
    nodes.remove("node-5");

    assertThat(plan(leaves, "node-1").missing())
        .contains("2 no address left for net1 (spiderpool/gpu1) in pool r1-b");
    assertThat(missing(leaves, pods).orElseThrow())
        .contains("no address left for net1 (spiderpool/gpu1) in pool r1-b");
  }

  @Test
  void shouldGoToAnotherLeafWhereThePoolOfTheNearestIsFull() {
    ClusterNetworks leaves =
        cluster(
            ofLeaf("a", pool("r1-a", 4, booked(1)).withBookings(List.of(booked(2)))),
            ofLeaf("b", pool("r1-b", 2)),
            pool("r2", 9));

    assertThat(plan(leaves, "node-1").planned().orElseThrow().nodes()).containsExactly("node-8");
    assertThat(plan(leaves, "node-1").planned().orElseThrow().refused())
        .contains(new Refusal("node-4", "no address left for net1 (spiderpool/gpu1) in pool r1-a"));
  }

  @Test
  void shouldCountByUidAndNotByName() {
    Booking[] leak =
        Stream.concat(
                Stream.of(booked(0)).filter(b -> !b.uid().equals(lost().uid())),
                Stream.of(new Booking("team/" + lost().name(), "uid-of-one-before")))
            .toArray(Booking[]::new);
    String namespace = lost().job().namespace();
    leak[leak.length - 1] = new Booking(namespace + "/" + lost().name(), "uid-of-one-before");

    assertThat(plan(cluster(pool("r1", 3, leak), pool("r2", 9)), "node-1").missing())
        .contains("no address left for net1")
        .contains("which still has 1 of pods of the job that are gone");
  }

  private PodView lost() {
    return pods.stream().filter(p -> p.node().equals("node-1")).findFirst().orElseThrow();
  }

  @Test
  void shouldRefuseANodeThatNoPoolIsFor() {
    ClusterNetworks wrong = cluster(ofLeaf("a", pool("r1-a", 9)), pool("r2", 9));
    nodes.remove("node-4");
    nodes.remove("node-5");

    assertThat(plan(wrong, "node-1").missing())
        .contains("2 no pool of net1 (spiderpool/gpu1) is for the node (r1-a)");
    assertThat(missing(wrong, pods).orElseThrow()).contains("no pool of net1");
  }

  @Test
  void shouldRefuseANodeWithoutTheDeviceOfARail() {
    put("node-4", "a", Amounts.of(Map.of(resource(1), 4L)));

    ClusterNetworks networks = cluster(pool("r1", 9), pool("r2", 9));

    assertThat(plan(networks, "node-1").planned().orElseThrow().nodes()).containsExactly("node-5");
    assertThat(plan(networks, "node-1").planned().orElseThrow().refused())
        .contains(
            new Refusal(
                "node-4",
                "short of spidernet.io/gpu2 for net2 (spiderpool/gpu2): 0 free, 1 needed"));
  }

  @Test
  void shouldNotSendTwoPodsWhereThePoolHasOneAddress() {
    ClusterNetworks leaves =
        cluster(
            ofLeaf("a", pool("r1-a", 3, booked(0)).withTotal(2L)),
            ofLeaf("b", pool("r1-b", 5)),
            pool("r2", 9));

    assertThat(plan(leaves, "node-1", "node-2").planned().orElseThrow().nodes())
        .containsExactlyInAnyOrder("node-4", "node-8");
  }

  @Test
  void shouldCountAddressesOfTheWholeGangAcrossNodes() {
    ClusterNetworks two = cluster(pool("r1", 2), pool("r2", 9));

    assertThat(missing(two, List.of()).orElseThrow())
        .contains("for net1 (spiderpool/gpu1), 2 free in pool r1 on nodes that fit");
  }

  /** Master and workers that differ in what they request, and have their NICs from one pool. */
  private void workersAreOfAnotherSize(String mastersLeaf, String workersLeaf) {
    job =
        job.withReplicas(
            job.replicas().stream()
                .map(
                    r ->
                        new JobView.Replica(
                            r.type(),
                            r.count(),
                            r.restart(),
                            r.gpus(),
                            new PodNeeds(
                                Amounts.NONE,
                                Map.of("leaf", r.count() == 1 ? mastersLeaf : workersLeaf),
                                List.of(),
                                List.of(),
                                false,
                                BY_GROUP)))
                .toList());
  }

  @Test
  void shouldCountAddressesOfPodsOfDifferentSizesTogether() {
    workersAreOfAnotherSize("a", "b");

    assertThat(missing(cluster(pool("r1", 2), pool("r2", 9)), List.of()).orElseThrow())
        .startsWith("3 addresses needed for net1 (spiderpool/gpu1), 2 free in pool r1");
    assertThat(missing(cluster(pool("r1", 3), pool("r2", 9)), List.of())).isEmpty();
  }

  @Test
  void shouldSayWhatThosePodsLackThatANodeIsMeantFor() {
    workersAreOfAnotherSize("a", "b");

    assertThat(
            missing(cluster(ofLeaf("a", pool("r1-a", 9)), pool("r2", 9)), List.of()).orElseThrow())
        .contains("2 no pool of net1 (spiderpool/gpu1) is for the node");
  }

  @Test
  void shouldHoldNothingForAPoolThatCannotBeRead() {
    ClusterNetworks unknown =
        cluster(pool("r1", 3).withBookings(null), pool("r2", 1).withTotal(null));

    assertThat(missing(unknown, pods)).isEmpty();
    assertThat(plan(unknown, "node-1").missing()).isEmpty();
  }

  @Test
  void shouldSayThatPodsOfAnUnknownGroupCannotBeMade() {
    job = asking(job, new NetworkWish("nope", null, List.of(), null, List.of(), false, List.of()));

    assertThat(missing(cluster(pool("r1", 9)), pods).orElseThrow())
        .contains("cannot be made: no SpiderMultusConfig carries")
        .contains("nope");
  }

  @Test
  void shouldTakeNodesByNameAndLeaveAClosedPool() {
    PoolView byName = pool("r1-x", 9).withNodeNames(Set.of("node-9"));
    ClusterNetworks networks =
        cluster(pool("r1-closed", 9).withClosed(true), byName, pool("r2", 9));

    assertThat(plan(networks, "node-1").planned().orElseThrow().nodes()).containsExactly("node-9");
  }
}
