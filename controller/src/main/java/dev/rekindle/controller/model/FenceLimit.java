package dev.rekindle.controller.model;

import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How many nodes may be fenced at one time when one more is to be: in all, and in its pool. Which
 * node is in the pool is what its label says now, so a pool is not written into a place: it would
 * be wrong as soon as a label or a policy changes.
 *
 * @param inAll most nodes in all
 * @param named where that number comes from, for people
 * @param pool the limit of the node's own pool; absent where there is none
 * @param quota what the namespaces have left for whose programs alone it is to be fenced
 */
public record FenceLimit(int inAll, String named, @Nullable Pool pool, FenceQuota quota) {
  /** Whatever a policy allows: what the places take up fits into one object. */
  public static final int MOST = 2_000;

  private static final int HUNDRED = 100;

  /**
   * A pool of nodes.
   *
   * @param name label and value
   * @param nodes names of the nodes in it
   * @param most most of them
   * @param named where that number comes from, for people
   */
  public record Pool(String name, Set<String> nodes, int most, String named) {
    public Pool {
      nodes = Set.copyOf(nodes);
    }
  }

  /** For a node whose faults no program can cause. */
  public FenceLimit(int inAll, String named, @Nullable Pool pool) {
    this(inAll, named, pool, FenceQuota.NONE);
  }

  /** A limit in all, and no pools. */
  public static FenceLimit of(int most) {
    return new FenceLimit(most, "maxFencedNodes", null);
  }

  /**
   * The same, for a node that is to be fenced for the programs of these namespaces alone.
   *
   * @param namespaces empty where there is more against the node
   */
  public static FenceLimit of(
      Policy policy, Collection<NodeView> nodes, String node, Set<String> namespaces, Instant now) {
    FenceLimit limit = of(policy, nodes, node);
    return namespaces.isEmpty()
        ? limit
        : new FenceLimit(
            limit.inAll,
            limit.named,
            limit.pool,
            new FenceQuota(
                namespaces, FenceQuota.fenced(nodes, now), policy.maxFencedPerNamespace()));
  }

  /**
   * What the policy allows for a node. A share is one of the nodes with GPUs, rounded down but to
   * one at least: else no node of a small pool could ever be fenced.
   *
   * @param nodes all nodes, as last seen
   * @param node the one to be fenced
   */
  public static FenceLimit of(Policy policy, Collection<NodeView> nodes, String node) {
    Integer percent = policy.maxFencedPercent();
    if (percent == null) {
      return of(policy.maxFencedNodes());
    }
    // Counted without a set of names: there are ten thousand, and in a storm each fence asks.
    int gpuNodes = (int) nodes.stream().filter(FenceLimit::counts).count();
    int share = share(percent, gpuNodes);
    boolean byShare = share < policy.maxFencedNodes();
    return new FenceLimit(
        byShare ? share : policy.maxFencedNodes(),
        byShare ? named(percent, gpuNodes) : "maxFencedNodes",
        pool(policy.poolLabel(), percent, nodes, node));
  }

  /** A fenced node has GPUs, though a fault may have taken all of them from it. */
  private static boolean counts(NodeView node) {
    return node.hasGpus() || node.fencedByUs();
  }

  private static @Nullable Pool pool(
      String label, int percent, Collection<NodeView> nodes, String node) {
    if (label.isEmpty()) {
      return null;
    }
    String mine =
        nodes.stream()
            .filter(n -> n.name().equals(node))
            .map(n -> n.labels().getOrDefault(label, ""))
            .findFirst()
            .orElse("");
    Set<String> members =
        nodes.stream()
            .filter(FenceLimit::counts)
            .filter(n -> n.labels().getOrDefault(label, "").equals(mine))
            .map(NodeView::name)
            .collect(Collectors.toUnmodifiableSet());
    return new Pool(
        label + "=" + mine,
        members,
        share(percent, members.size()),
        named(percent, members.size()));
  }

  private static int share(int percent, int nodes) {
    return Math.max(1, nodes * percent / HUNDRED);
  }

  private static String named(int percent, int nodes) {
    return "%d %% of %d GPU nodes".formatted(percent, nodes);
  }

  /**
   * Which limit would be passed, in words for people; empty when none.
   *
   * @param fenced all that are fenced or about to be
   * @param node the one to be fenced as well, whether or not it is among them
   */
  public Optional<String> passed(Set<String> fenced, String node) {
    int most = Math.min(inAll, MOST);
    int all = fenced.size() + (fenced.contains(node) ? 0 : 1);
    if (all > most) {
      return Optional.of("%d in all (%s)".formatted(most, named));
    }
    if (pool == null) {
      return Optional.empty();
    }
    long there = fenced.stream().filter(n -> !n.equals(node) && pool.nodes().contains(n)).count();
    return there + 1 > pool.most()
        ? Optional.of("%d in pool %s (%s)".formatted(pool.most(), pool.name(), pool.named()))
        : Optional.empty();
  }
}
