package dev.rekindle.controller.placement;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.NodeRoom;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.network.ClusterNetworks;
import dev.rekindle.controller.network.MultusView;
import dev.rekindle.controller.network.Networks;
import dev.rekindle.controller.network.PoolView;
import dev.rekindle.controller.network.PoolView.Booking;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How long it takes to plan a replacement, and to find room for the whole gang, with eight rails;
 * in time of a processor. Run by hand, see docs/benchmarks.md.
 */
public final class RailBenchmark {
  private static final int NODES = 1_024;
  private static final int GANG = 960;
  private static final int RAILS = 8;
  private static final int LEAF = 32;
  private static final int ROUNDS = 30;

  private RailBenchmark() {}

  /** Prints a line for each layout of pools. */
  public static void main(String[] arguments) {
    time("one pool for each rail", 0);
    time("one for each rail and leaf of 32", LEAF);
    time("one for each rail and node", 1);
  }

  private static void time(String what, int nodesPerPool) {
    PodNeeds needs =
        new PodNeeds(Amounts.NONE, Map.of(), List.of(), List.of(), false, Networks.BY_GROUP);
    JobView job =
        Given.job()
            .view()
            .withReplicas(
                List.of(
                    new Replica("Master", 1, RestartPolicy.ON_FAILURE, 8, needs),
                    new Replica("Worker", GANG - 1, RestartPolicy.ON_FAILURE, 8, needs)));
    Map<String, NodeView> nodes = new HashMap<>();
    Map<String, Long> offers = new HashMap<>();
    for (int rail = 1; rail <= RAILS; rail++) {
      offers.put(Networks.resource(rail), 100L);
    }
    for (int i = 0; i < NODES; i++) {
      nodes.put(
          name(i),
          Given.node(name(i))
              .withLabels(Map.of("leaf", "l" + i / LEAF))
              .withRoom(new NodeRoom(Amounts.of(offers), List.of())));
    }
    List<PodView> pods = new ArrayList<>();
    PodView like = Given.gang("").getLast();
    for (int i = 0; i < GANG; i++) {
      int rank = i;
      pods.add(
          like.with(
              b ->
                  b.name(rank == 0 ? "demo-master-0" : "demo-worker-" + (rank - 1))
                      .uid("uid-" + rank)
                      .role(rank == 0 ? "master" : "worker")
                      .index(Math.max(0, rank - 1))
                      .node(name(rank))));
    }
    ClusterNetworks networks = networks(nodesPerPool, pods);
    Gang gang =
        new Gang(
            job,
            pods,
            List.of(name(7)),
            nodes,
            List.of(),
            Map.of(),
            Map.of(),
            List.of(),
            networks,
            SpareRoom.NONE);
    long[] plan = new long[ROUNDS];
    long[] room = new long[ROUNDS];
    int found = 0;
    for (int round = -5; round < ROUNDS; round++) {
      long began = cpu();
      found += Replacements.plan(gang, List.of("leaf")).planned().isPresent() ? 1 : 0;
      long then = cpu();
      found +=
          CapacityCheck.missing(
                      job.replicas(),
                      nodes.values(),
                      List.of(name(7)),
                      Map.of(),
                      Map.of(),
                      NetworkDemand.of(job, pods, pods, networks))
                  .isEmpty()
              ? 1
              : 0;
      plan[Math.max(0, round)] = then - began;
      room[Math.max(0, round)] = cpu() - then;
    }
    Arrays.sort(plan);
    Arrays.sort(room);
    System.out.printf(
        "%s: plan %.1f ms, room %.1f ms (medians; most %.1f and %.1f; %d of %d found)%n",
        what,
        plan[ROUNDS / 2] / 1e6,
        room[ROUNDS / 2] / 1e6,
        plan[ROUNDS - 1] / 1e6,
        room[ROUNDS - 1] / 1e6,
        found,
        2 * (ROUNDS + 5));
  }

  private static ClusterNetworks networks(int nodesPerPool, List<PodView> pods) {
    int groups = nodesPerPool == 0 ? 1 : NODES / nodesPerPool;
    List<PoolView> pools = new ArrayList<>();
    List<MultusView> rails = new ArrayList<>();
    for (int rail = 1; rail <= RAILS; rail++) {
      rails.add(Networks.rail(rail, "r" + rail + "-*"));
      for (int group = 0; group < groups; group++) {
        int own = group;
        Booking[] given =
            pods.stream()
                .filter(p -> nodesPerPool == 0 || number(p.node()) / nodesPerPool == own)
                .map(p -> new Booking(p.job().namespace() + "/" + p.name(), p.uid()))
                .toArray(Booking[]::new);
        PoolView pool =
            Networks.pool("r%d-%d".formatted(rail, group), nodesPerPool == 0 ? 2_000 : 64, given);
        pools.add(
            nodesPerPool == 1
                ? pool.withNodeNames(Set.of(name(group)))
                : nodesPerPool == 0 ? pool : Networks.ofLeaf("l" + group, pool));
      }
    }
    return new ClusterNetworks(pools, rails, List.of(), List.of(Networks.WEBHOOK));
  }

  private static int number(String node) {
    return Integer.parseInt(node.substring(5));
  }

  private static String name(int node) {
    return "node-%04d".formatted(node);
  }

  private static long cpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
