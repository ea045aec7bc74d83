package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.fencing.FenceSlotAllocator;
import dev.rekindle.controller.fencing.FenceSlotAllocator.Found;
import dev.rekindle.controller.fencing.FenceSlotAllocator.Stored;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.port.ClusterState;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The slots of the breaker in a ConfigMap of our own namespace. */
final class FenceStore implements FenceSlotAllocator.Store {
  /** The one object; RBAC names it as well. */
  static final String NAME = "rekindle-fences";

  private final OwnConfigMap map;
  private final ClusterState seen;
  private final Function<String, Optional<Found>> nodes;

  /**
   * @param nodes a node, asked from the API server
   */
  FenceStore(
      KubernetesClient client,
      ApiCalls api,
      ClusterState seen,
      String namespace,
      Function<String, Optional<Found>> nodes) {
    this.map = new OwnConfigMap(client, api, namespace, NAME);
    this.seen = seen;
    this.nodes = nodes;
  }

  @Override
  public Stored read() {
    return stored(map.read());
  }

  @Override
  public Optional<Stored> write(Stored before, Map<String, String> places) {
    return map.write(before.version(), places).map(FenceStore::stored);
  }

  private static Stored stored(OwnConfigMap.Content content) {
    return new Stored(content.version(), content.data());
  }

  @Override
  public Optional<Found> find(String node) {
    return nodes.apply(node);
  }

  @Override
  public Map<String, String> seenMarked() {
    return seen.nodes().stream()
        .filter(NodeView::fencedByUs)
        .collect(Collectors.toMap(NodeView::name, NodeView::fencedBy));
  }
}
