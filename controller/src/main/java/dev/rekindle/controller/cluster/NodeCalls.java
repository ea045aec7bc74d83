package dev.rekindle.controller.cluster;

import dev.rekindle.controller.cluster.ClusterGateway.StaleException;
import dev.rekindle.controller.job.Marks;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Cordons nodes with our mark and lifts what carries it. */
final class NodeCalls {
  private static final int MAX_REASON = 1_024;

  private final KubernetesClient client;
  private final ApiCalls api;
  private final InstantSource clock;

  NodeCalls(KubernetesClient client, ApiCalls api, InstantSource clock) {
    this.client = client;
    this.api = api;
    this.clock = clock;
  }

  void cordon(String name, String recovery, String reason) {
    api.change(() -> tryCordon(name, recovery, reason));
  }

  private void tryCordon(String name, String recovery, String reason) {
    Node node =
        get(name).orElseThrow(() -> new StaleException("node " + name + " no longer exists"));
    if (Boolean.TRUE.equals(node.getSpec().getUnschedulable())) {
      return;
    }
    Map<String, @Nullable String> marks = new LinkedHashMap<>();
    marks.put(Marks.FENCED_BY, recovery);
    marks.put(
        Marks.FENCE_REASON,
        reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason);
    marks.put(Marks.FENCED_AT, clock.instant().toString());
    patch(node, marks, true);
  }

  void release(String name) {
    api.change(() -> tryRelease(name));
  }

  private void tryRelease(String name) {
    Optional<Node> node = get(name).filter(NodeCalls::marked);
    if (node.isEmpty()) {
      return;
    }
    Map<String, @Nullable String> marks = new LinkedHashMap<>();
    marks.put(Marks.FENCED_BY, null);
    marks.put(Marks.FENCE_REASON, null);
    marks.put(Marks.FENCED_AT, null);
    patch(node.get(), marks, null);
  }

  private Optional<Node> get(String name) {
    return api.find(() -> client.nodes().withName(name).get());
  }

  private static boolean marked(Node node) {
    return Objects.requireNonNullElse(node.getMetadata().getAnnotations(), Map.<String, String>of())
        .containsKey(Marks.FENCED_BY);
  }

  private void patch(
      Node node, Map<String, @Nullable String> marks, @Nullable Boolean unschedulable) {
    Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
    metadata.put("resourceVersion", node.getMetadata().getResourceVersion());
    metadata.put("uid", node.getMetadata().getUid());
    metadata.put("annotations", marks);
    Map<String, @Nullable Object> spec = new LinkedHashMap<>();
    spec.put("unschedulable", unschedulable);
    String patch =
        client.getKubernetesSerialization().asJson(Map.of("metadata", metadata, "spec", spec));
    var _ =
        api.answer(
            () ->
                client
                    .nodes()
                    .withName(node.getMetadata().getName())
                    .patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }
}
