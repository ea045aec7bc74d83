package dev.rekindle.simulator.process;

import dev.rekindle.controller.fencing.FenceSlotAllocator;
import dev.rekindle.controller.fencing.FenceSlotAllocator.Found;
import dev.rekindle.controller.fencing.FenceSlotAllocator.Stored;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.simulator.api.ApiError;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.ConfigMapObject;
import dev.rekindle.simulator.world.World;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The slots of the breaker, in a ConfigMap in memory. */
final class SimFenceStore implements FenceSlotAllocator.Store {
  private static final String NAMESPACE = "rekindle-system";
  private static final String NAME = "rekindle-fences";
  private static final String KEY = NAMESPACE + "/" + NAME;

  private final World world;
  private final Caller caller;
  private final ClusterState seen;

  SimFenceStore(World world, Caller caller, ClusterState seen) {
    this.world = world;
    this.caller = caller;
    this.seen = seen;
  }

  @Override
  public Stored read() {
    return caller
        .call(() -> world.configMaps().find(KEY))
        .map(SimFenceStore::stored)
        .orElse(new Stored("", Map.of()));
  }

  private static Stored stored(ConfigMapObject map) {
    return new Stored(Long.toString(map.meta().version()), map.data());
  }

  @Override
  public Optional<Stored> write(Stored before, Map<String, String> places) {
    try {
      if (before.version().isEmpty()) {
        return Optional.of(
            stored(
                caller.call(
                    () ->
                        world
                            .configMaps()
                            .create(
                                new ConfigMapObject(Meta.draft(NAMESPACE, NAME, ""), places)))));
      }
      long version = Long.parseLong(before.version());
      return Optional.of(
          stored(
              caller.call(
                  () ->
                      world
                          .configMaps()
                          .update(KEY, version, m -> new ConfigMapObject(m.meta(), places)))));
    } catch (ApiError error) {
      if (error.code() == ApiError.CONFLICT || error.code() == ApiError.NOT_FOUND) {
        return Optional.empty();
      }
      throw error;
    }
  }

  @Override
  public Optional<Found> find(String node) {
    return caller.call(
        () ->
            world
                .nodes()
                .find(node)
                .map(n -> new Found(n.meta().uid(), !n.fencedBy().isEmpty(), n.fencedFor())));
  }

  @Override
  public Map<String, String> seenMarked() {
    return seen.nodes().stream()
        .filter(NodeView::fencedByUs)
        .collect(Collectors.toMap(NodeView::name, NodeView::fencedBy));
  }
}
