package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** When each node was last not Ready, or not there. */
final class NodeAbsences {
  private final World world;
  private final Check check;
  private final Map<String, Instant> last = new HashMap<>();

  NodeAbsences(World world, Check check) {
    this.world = world;
    this.check = check;
    world.nodes().watch(this::changed);
  }

  private void changed(Change<NodeObject> change) {
    NodeObject before = change.before();
    NodeObject after = change.after();
    if (before == null
        || after == null
        || before.readiness() != Readiness.READY
        || after.readiness() != Readiness.READY) {
      last.put(change.key(), check.now());
    }
  }

  /** Whether the node is Ready, and has been for so long that every controller has seen it. */
  boolean isLongReady(String node) {
    Instant absent = last.get(node);
    return world.ready(node) && (absent == null || check.longAgo(absent));
  }
}
