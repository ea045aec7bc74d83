package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The number of nodes that may be fenced, and that are fenced, in all and in each pool. */
final class Breaker {
  private static final int HUNDRED = 100;

  private final World world;
  private final Policy policy;
  private final Supplier<Instant> clock;

  /**
   * Deleted nodes and the time of deletion: they count for a share until every watch has shown it.
   */
  private final Map<String, Departed> departed = new HashMap<>();

  private record Departed(NodeObject node, Instant when) {}

  private record Fenced(int nodes, int inPool, int all, int pool) {}

  Breaker(World world, Policy policy, Supplier<Instant> clock) {
    this.world = world;
    this.policy = policy;
    this.clock = clock;
    world.nodes().watch(this::changed);
  }

  private void changed(Change<NodeObject> change) {
    if (change.after() == null) {
      departed.put(change.key(), new Departed(change.object(), clock.get()));
    } else {
      departed.remove(change.key());
    }
  }

  /** Whether there is a place for that node, as everything stands now. */
  boolean hasPlace(NodeObject node) {
    Fenced count = withOneMore(node);
    return count.all() <= most(count) && count.pool() <= mostInPool(count);
  }

  /** Which limit that node passes, also for a process that still counts nodes that went. */
  Optional<String> passed(NodeObject node) {
    Fenced count = heard(withOneMore(node), node);
    if (count.all() > most(count)) {
      return Optional.of("the %dth of %d".formatted(count.all(), most(count)));
    }
    return count.pool() > mostInPool(count)
        ? Optional.of(
            "the %dth of %d nodes of its pool where %d may be"
                .formatted(count.pool(), count.inPool(), mostInPool(count)))
        : Optional.empty();
  }

  /** Nodes, and those of them that are fenced, that one among them. */
  private Fenced withOneMore(NodeObject before) {
    int nodes = 0;
    int inPool = 0;
    int fenced = before.fencedBy().isEmpty() ? 1 : 0;
    int fencedInPool = fenced;
    for (NodeObject node : world.nodes().all()) {
      boolean sameLeaf = sameLeaf(node, before);
      nodes++;
      inPool += sameLeaf ? 1 : 0;
      fenced += node.fencedBy().isEmpty() ? 0 : 1;
      fencedInPool += sameLeaf && !node.fencedBy().isEmpty() ? 1 : 0;
    }
    return new Fenced(nodes, inPool, fenced, fencedInPool);
  }

  private Fenced heard(Fenced now, NodeObject before) {
    int nodes = now.nodes();
    int inPool = now.inPool();
    for (Departed gone : departed.values()) {
      if (!gone.when().plus(Check.UNDER_WAY).isBefore(clock.get())) {
        nodes++;
        inPool += sameLeaf(gone.node(), before) ? 1 : 0;
      }
    }
    return new Fenced(nodes, inPool, now.all(), now.pool());
  }

  private static boolean sameLeaf(NodeObject one, NodeObject other) {
    return one.setup().leaf().equals(other.setup().leaf());
  }

  private int most(Fenced count) {
    Integer percent = policy.maxFencedPercent();
    return percent == null
        ? policy.maxFencedNodes()
        : Math.min(policy.maxFencedNodes(), Math.max(1, count.nodes() * percent / HUNDRED));
  }

  private int mostInPool(Fenced count) {
    Integer percent = policy.maxFencedPercent();
    return percent == null || policy.poolLabel().isEmpty()
        ? Integer.MAX_VALUE
        : Math.max(1, count.inPool() * percent / HUNDRED);
  }
}
