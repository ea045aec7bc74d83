package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.NodeRoom.NodeTaint;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.simulator.setup.DeviceStack;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.setup.NodeSetup;
import dev.rekindle.simulator.setup.NodeSetup.GpuUuids;
import dev.rekindle.simulator.setup.RailSetup;
import dev.rekindle.simulator.setup.RailSetup.Pool;
import dev.rekindle.simulator.setup.Setup;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Which seeds have Kueue, Spiderpool, or both, and how large their quotas and pools are; and in
 * which seeds ranks share nodes, the nodes differ, leaf groups are large, or pods are placed in
 * groups. It depends on the number of the seed only, so that all other seeds stay the same.
 */
final class Surroundings {
  private static final int APART = 11;
  private static final int QUEUED = 3;
  private static final int ON_RAILS = 7;
  private static final int MIXED = 1;
  private static final int SHARED = 9;
  private static final int GROUPED = 10;
  private static final int WIDE = 8;
  private static final int WIDE_LEAF = 6;
  private static final int DOUBTED = 5;
  private static final int RAILS = 2;

  private static final String POOL = "pool";
  private static final String OURS = "training";
  private static final String DRIVER = "nvidia.com/cuda.driver-version.full";
  private static final String NEW_DRIVER = "580.95.05";
  private static final String DEDICATED = "dedicated";
  private static final String NO_SCHEDULE = "NoSchedule";

  /** Which nodes those of a training cluster are, and what their pods bear. */
  private static final PodNeeds CHOOSY =
      new PodNeeds(
          Amounts.NONE,
          Map.of(POOL, OURS),
          List.of(),
          List.of(new PodNeeds.Toleration(DEDICATED, true, "", "")),
          false);

  private static final long CHANCE = 0x5155455545L;

  private Surroundings() {}

  /** The same cluster, in some seeds with more around it. */
  static Setup of(Setup setup) {
    long seed = setup.seed();
    int kind = Math.floorMod(seed, APART);
    boolean both = kind == QUEUED && Math.floorMod(seed / APART, 4) == 0;
    RandomGenerator random = new SplittableRandom(seed ^ CHANCE);
    Setup next = setup;
    if (kind == QUEUED) {
      next = next.queued(quota(setup, random));
    }
    if (kind == ON_RAILS || both) {
      next = next.with(new RailSetup(RAILS, pools(setup, random)));
    }
    return switch (kind) {
      case MIXED -> mixed(next);
      case SHARED -> shared(next);
      case WIDE -> wide(next);
      case GROUPED ->
          next.with(next.nodes(), next.jobs().stream().map(j -> j.withPodGroup(true)).toList());
      case DOUBTED -> doubted(next);
      default -> next;
    };
  }

  /**
   * Among the nodes of the jobs are others: of another pool, with a taint that the jobs do not
   * bear, with another driver. Every third of their own has a taint that they bear.
   */
  private static Setup mixed(Setup setup) {
    List<NodeSetup> nodes = new ArrayList<>();
    for (NodeSetup own : setup.nodes()) {
      if (nodes.size() % 4 == 2) {
        nodes.add(other(own, nodes.size()));
      }
      NodeSetup node = numbered(own, nodes.size());
      nodes.add(
          node.with(
              labels(OURS, NEW_DRIVER),
              nodes.size() % 3 == 0
                  ? List.of(new NodeTaint(DEDICATED, OURS, NO_SCHEDULE))
                  : List.of()));
    }
    return setup.with(nodes, setup.jobs().stream().map(j -> j.withNeeds(CHOOSY)).toList());
  }

  private static NodeSetup numbered(NodeSetup node, int number) {
    return new NodeSetup("node-" + number, "leaf-" + number / 3, node.gpus(), node.rdma());
  }

  private static NodeSetup other(NodeSetup own, int number) {
    NodeSetup node = numbered(own, number);
    return switch (number / 4 % 4) {
      case 0 -> node.with(labels("inference", NEW_DRIVER), List.of());
      case 2 -> node.with(labels(OURS, "570.172.08"), List.of());
      default ->
          node.with(labels(OURS, NEW_DRIVER), List.of(new NodeTaint("team", "other", NO_SCHEDULE)));
    };
  }

  private static Map<String, String> labels(String pool, String driver) {
    return Map.of(POOL, pool, DRIVER, driver);
  }

  /** Leaf groups of six nodes, and three more nodes: part of a group can fail. */
  private static Setup wide(Setup setup) {
    List<NodeSetup> nodes = new ArrayList<>();
    for (int i = 0; i < setup.nodes().size() + 3; i++) {
      NodeSetup node = setup.nodes().get(Math.min(i, setup.nodes().size() - 1));
      nodes.add(new NodeSetup("node-" + i, "leaf-" + i / WIDE_LEAF, node.gpus(), node.rdma()));
    }
    return setup.with(nodes, setup.jobs());
  }

  /**
   * Ranks with half of the GPUs of a node: two of a job, or of two jobs, share one; in each third
   * of these seeds only of two jobs, by anti-affinity. Some nodes show which pod holds which GPU,
   * some do not.
   */
  private static Setup shared(Setup setup) {
    int wanted = setup.jobs().stream().mapToInt(JobSetup::ranks).sum();
    int spare = setup.nodes().size() - wanted;
    List<NodeSetup> nodes = new ArrayList<>();
    boolean apart = Math.floorMod(setup.seed() / APART, 3) == 2;
    int most = setup.jobs().stream().mapToInt(JobSetup::ranks).max().orElse(1);
    int needed = apart ? Math.max(most, (wanted + 1) / 2) : (wanted + 1) / 2;
    for (NodeSetup node : setup.nodes().subList(0, needed + spare)) {
      boolean shown = Math.floorMod(setup.seed() / APART + nodes.size() / 2, 4) > 0;
      nodes.add(node.with(shown ? GpuUuids.LOG_AND_PODS : GpuUuids.LOG));
    }
    PodNeeds needs = new PodNeeds(Amounts.NONE, Map.of(), List.of(), List.of(), apart);
    return setup.with(
        nodes,
        setup.jobs().stream()
            .map(j -> j.withGpusPerRank(j.gpusPerRank() / 2).withNeeds(needs))
            .toList());
  }

  /**
   * Device plugins, DRA drivers or HAMi say how devices are. On most nodes with device plugins pods
   * show which GPUs they hold.
   */
  private static Setup doubted(Setup setup) {
    long number = setup.seed() / APART;
    DeviceStack stack =
        List.of(DeviceStack.PLUGINS, DeviceStack.DRA, DeviceStack.HAMI)
            .get((int) Math.floorMod(number, 3L));
    List<NodeSetup> nodes = new ArrayList<>();
    for (NodeSetup node : setup.nodes()) {
      boolean shown =
          stack == DeviceStack.PLUGINS && Math.floorMod(number / 3 + nodes.size(), 4L) > 0;
      nodes.add(node.with(shown ? GpuUuids.LOG_AND_PODS : GpuUuids.LOG));
    }
    return setup.with(nodes, setup.jobs()).with(stack);
  }

  /**
   * For all jobs, for one more, or for all but the first, which then waits, or lets others wait.
   */
  private static int quota(Setup setup, RandomGenerator random) {
    int wanted = setup.jobs().stream().mapToInt(JobSetup::ranks).sum();
    int first = setup.jobs().getFirst().ranks();
    return switch (random.nextInt(4)) {
      case 0 -> wanted + 2;
      case 1 -> Math.max(first, wanted - first);
      default -> wanted;
    };
  }

  /** Of a rail one for all nodes, or one for each leaf group, with few addresses to spare. */
  private static List<Pool> pools(Setup setup, RandomGenerator random) {
    int wanted = setup.jobs().stream().mapToInt(JobSetup::ranks).sum();
    Set<String> leaves = new LinkedHashSet<>();
    setup.nodes().stream().map(NodeSetup::leaf).forEach(leaves::add);
    List<Pool> pools = new ArrayList<>();
    for (int rail = 1; rail <= RAILS; rail++) {
      if (random.nextInt(3) == 0) {
        pools.add(new Pool("r" + rail + "-all", rail, "", wanted + random.nextInt(4)));
      } else {
        for (String leaf : leaves) {
          long nodes = setup.nodes().stream().filter(n -> n.leaf().equals(leaf)).count();
          int spare = random.nextInt(3);
          pools.add(new Pool("r%d-%s".formatted(rail, leaf), rail, leaf, (int) nodes + spare));
        }
      }
    }
    return pools;
  }
}
