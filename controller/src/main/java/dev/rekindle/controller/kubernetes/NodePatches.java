package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads nodes and patches them, each in place of exactly the version that was read. */
final class NodePatches {
  private final KubernetesClient client;
  private final ApiCalls api;
  private final FlatState seen;

  NodePatches(KubernetesClient client, Circuits circuits, FlatState seen) {
    this.client = client;
    this.api = circuits.of("nodes");
    this.seen = seen;
  }

  /**
   * Changes a node as the watch last showed it, and where that was too long ago, or may be the
   * reason to change nothing, as the API server says it.
   *
   * @param goOn whether something is to be done, should the watch be right
   */
  void change(String name, Predicate<NodeTarget> goOn, Consumer<Optional<NodeTarget>> change) {
    AtomicBoolean tried = new AtomicBoolean();
    api.change(
        () -> {
          Optional<NodeTarget> shown =
              tried.getAndSet(true)
                  ? Optional.empty()
                  : seen.nodeToWrite(name).map(NodeTarget::seen).filter(goOn);
          change.accept(shown.or(() -> read(name)));
        });
  }

  /** The node as the API server shows it. */
  Optional<NodeTarget> read(String name) {
    return live(name).map(NodeTarget::read);
  }

  /** The whole node as the API server shows it. */
  Optional<Node> live(String name) {
    return api.find(() -> client.nodes().withName(name).get());
  }

  /** Sets one annotation. */
  void mark(NodeTarget node, String annotation, String value) {
    Map<String, @Nullable String> annotations = new LinkedHashMap<>();
    annotations.put(annotation, value);
    patch(node.name(), Map.of("metadata", metadata(node, annotations)));
  }

  /** Sets a label, or removes it where the value is absent, whatever the node's version. */
  void label(String name, String label, @Nullable String value) {
    Map<String, @Nullable Object> labels = new LinkedHashMap<>();
    labels.put(label, value);
    Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
    metadata.put("labels", labels);
    String patch = client.getKubernetesSerialization().asJson(Map.of("metadata", metadata));
    var _ = api.find(() -> named(name).patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }

  /** Sets annotations and cordons; with an absent value it lifts the cordon. */
  void cordonOrLift(
      NodeTarget node, Map<String, @Nullable String> annotations, @Nullable Boolean unschedulable) {
    Map<String, @Nullable Object> spec = new LinkedHashMap<>();
    spec.put("unschedulable", unschedulable);
    patch(node.name(), Map.of("metadata", metadata(node, annotations), "spec", spec));
  }

  private static Map<String, @Nullable Object> metadata(
      NodeTarget node, Map<String, @Nullable String> annotations) {
    Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
    metadata.put("resourceVersion", node.version());
    metadata.put("annotations", annotations);
    return metadata;
  }

  private void patch(String name, Map<String, Object> body) {
    String patch = client.getKubernetesSerialization().asJson(body);
    try {
      var _ = api.answer(() -> named(name).patch(PatchContext.of(PatchType.JSON_MERGE), patch));
    } catch (KubernetesClientException error) {
      // The watch has not shown that yet, or it happened since the node was read.
      throw error.getCode() == HttpURLConnection.HTTP_NOT_FOUND
          ? new StaleException("node " + name + " is gone")
          : error;
    }
  }

  /** A node to be patched. One requested by its name alone would be read first by the client. */
  private Resource<Node> named(String name) {
    return client
        .nodes()
        .resource(new NodeBuilder().withNewMetadata().withName(name).endMetadata().build());
  }
}
