package dev.rekindle.simulator.process;

import dev.rekindle.controller.fencing.FenceSlotAllocator;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.FencedFor;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.simulator.api.ApiError;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/** Calls about nodes: cordons, their release, and what is noted on a node. */
final class NodeCalls {
  private final World world;
  private final ApiCalls api;
  private final WriteObserver observer;
  private final ClusterState state;
  private final InstantSource clock;
  private final FenceSlotAllocator slots;

  NodeCalls(
      World world,
      ApiCalls api,
      ClusterState state,
      WriteObserver observer,
      InstantSource clock,
      FenceSlotAllocator slots) {
    this.world = world;
    this.api = api;
    this.state = state;
    this.observer = observer;
    this.clock = clock;
    this.slots = slots;
  }

  Optional<NodeView> live(String name) {
    return api.find(() -> world.nodes().get(name)).map(NodeObject::view);
  }

  boolean cordon(String name, String by, FenceLimit limit) {
    AtomicBoolean cordoned = new AtomicBoolean();
    String decided =
        state
            .node(name)
            .map(NodeView::uid)
            .orElseThrow(() -> new StaleException("node " + name + " is not seen yet"));
    api.change(() -> cordoned.set(tryCordon(name, decided, by, limit)));
    return cordoned.get();
  }

  private boolean tryCordon(String name, String decided, String by, FenceLimit limit) {
    NodeObject node =
        api.find(() -> world.nodes().get(name))
            .orElseThrow(() -> new StaleException("node " + name + " no longer exists"));
    if (!decided.isEmpty() && !decided.equals(node.meta().uid())) {
      throw new StaleException("node " + name + " is another one of the name");
    }
    if (node.unschedulable()) {
      return false;
    }
    slots.take(name, node.meta().uid(), by, limit);
    var _ =
        api.attempt(
            () ->
                world
                    .nodes()
                    .update(
                        name,
                        node.meta().version(),
                        n -> {
                          observer.cordoned(n, by);
                          return n.cordoned(true, by)
                              .withIncidents(incidents(n, by).format())
                              .withFencedFor(fencedFor(n, limit));
                        }));
    return true;
  }

  private String fencedFor(NodeObject node, FenceLimit limit) {
    return limit.quota().namespaces().isEmpty()
        ? node.fencedFor()
        : FencedFor.parse(node.fencedFor())
            .and(clock.instant(), limit.quota().namespaces())
            .format();
  }

  private NodeIncidentHistory incidents(NodeObject node, String by) {
    return NodeIncidentHistory.parse(node.incidents()).and(clock.instant(), by);
  }

  void recordIncident(String name, String by, Instant at) {
    note(
        name,
        at,
        node -> {
          NodeIncidentHistory after = NodeIncidentHistory.parse(node.incidents()).and(at, by);
          return after.equals(NodeIncidentHistory.parse(node.incidents()))
              ? node
              : node.withIncidents(after.format());
        });
  }

  void recordStall(String name, NamedStalls.Entry stall) {
    note(
        name,
        stall.at(),
        node -> node.withStalls(NamedStalls.parse(node.stalls()).and(stall).format()));
  }

  /** Writes that on the node unless it is there; one that is gone, or younger, is passed over. */
  private void note(String name, Instant at, UnaryOperator<NodeObject> noted) {
    api.change(
        () ->
            api.find(() -> world.nodes().get(name))
                .filter(node -> !node.meta().created().truncatedTo(ChronoUnit.SECONDS).isAfter(at))
                .filter(node -> !noted.apply(node).equals(node))
                .ifPresent(
                    node -> {
                      var _ =
                          api.attempt(
                              () -> world.nodes().update(name, node.meta().version(), noted));
                    }));
  }

  void markLemon(String name, boolean lemon) {
    var _ = api.find(() -> world.nodes().patch(name, n -> n.withLemon(lemon)));
  }

  void release(String name) {
    try {
      slots.release(
          name,
          () -> {
            AtomicBoolean lifted = new AtomicBoolean();
            api.change(() -> lifted.set(tryRelease(name)));
            return lifted.get();
          });
    } catch (ApiError error) {
      throw ApiCalls.translated(error);
    }
  }

  /** Lifts the cordon without checking whose it is: what a broken controller would do. */
  void releaseWhatever(String name) {
    var _ = api.attempt(() -> world.nodes().patch(name, this::releasedNow));
  }

  private NodeObject releasedNow(NodeObject node) {
    observer.released(node);
    return node.cordoned(false, "").withApproved("");
  }

  private boolean tryRelease(String name) {
    Optional<NodeObject> node = api.find(() -> world.nodes().get(name));
    if (node.isEmpty() || node.get().fencedBy().isEmpty()) {
      return false;
    }
    var _ =
        api.attempt(
            () -> world.nodes().update(name, node.get().meta().version(), this::releasedNow));
    return true;
  }
}
