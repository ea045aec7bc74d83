package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** For how long nodes have taken pods, or none. */
final class UsableNodes {
  private final Supplier<Instant> clock;
  private final Map<String, Instant> closed = new HashMap<>();
  private final Map<String, Instant> open = new HashMap<>();

  UsableNodes(World world, Supplier<Instant> clock) {
    this.clock = clock;
    world.nodes().list().forEach(node -> open.put(node.meta().name(), clock.get()));
    world.nodes().watch(this::changed);
  }

  private void changed(Change<NodeObject> change) {
    boolean usable = isUsable(change.after());
    (usable ? open : closed).putIfAbsent(change.key(), clock.get());
    (usable ? closed : open).remove(change.key());
  }

  private static boolean isUsable(@Nullable NodeObject node) {
    return node != null
        && node.readiness() == Readiness.READY
        && !node.unschedulable()
        && node.owner() == null;
  }

  /** Whether the node has taken no pod for so long. */
  boolean isClosed(String node, Duration time) {
    return isBefore(closed.get(node), time);
  }

  /** Whether it has taken pods for so long. */
  boolean isOpen(String node, Duration time) {
    return isBefore(open.get(node), time);
  }

  private boolean isBefore(@Nullable Instant since, Duration time) {
    return since != null && since.plus(time).isBefore(clock.get());
  }
}
