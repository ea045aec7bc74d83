package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.fencing.FenceSlotAllocator;
import dev.rekindle.controller.fencing.FenceSlotAllocator.Found;
import dev.rekindle.controller.fencing.FenceSlotAllocator.Stored;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterState;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The slots of the breaker in a ConfigMap of our own namespace. */
final class FenceStore implements FenceSlotAllocator.Store {
  /** The one object; RBAC names it as well. */
  static final String NAME = "rekindle-fences";

  private final KubernetesClient client;
  private final ApiCalls api;
  private final ClusterState seen;
  private final String namespace;
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
    this.client = client;
    this.api = api;
    this.seen = seen;
    this.namespace = namespace;
    this.nodes = nodes;
  }

  @Override
  public Stored read() {
    return api.find(() -> client.configMaps().inNamespace(namespace).withName(NAME).get())
        .map(FenceStore::stored)
        .orElse(new Stored("", Map.of()));
  }

  @Override
  public Optional<Stored> write(Stored before, Map<String, String> places) {
    ConfigMap next =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withNamespace(namespace)
            .withName(NAME)
            .withResourceVersion(before.version().isEmpty() ? null : before.version())
            .addToLabels("app.kubernetes.io/managed-by", "rekindle-controller")
            .endMetadata()
            .withData(places)
            .build();
    try {
      if (before.version().isEmpty()) {
        return Optional.of(stored(api.call(() -> client.resource(next).create())));
      }
      // Nothing to find: somebody deleted it meanwhile.
      return api.find(() -> client.resource(next).update()).map(FenceStore::stored);
    } catch (StaleException otherVersion) {
      return Optional.empty();
    }
  }

  private static Stored stored(ConfigMap map) {
    return new Stored(
        map.getMetadata().getResourceVersion(),
        Objects.requireNonNullElse(map.getData(), Map.of()));
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
