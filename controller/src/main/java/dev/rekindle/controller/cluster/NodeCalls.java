package dev.rekindle.controller.cluster;

import dev.rekindle.controller.cluster.ClusterGateway.StaleException;
import dev.rekindle.controller.fence.FenceLedger;
import dev.rekindle.controller.job.Marks;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cordons nodes with our mark, as many as the breaker has places for, and lifts what carries it.
 */
final class NodeCalls {
  private static final Logger LOG = LoggerFactory.getLogger(NodeCalls.class);
  private static final int MAX_REASON = 1_024;

  /** Where kubelets keep their leases. */
  private static final String LEASES = "kube-node-lease";

  private final KubernetesClient client;
  private final ApiCalls api;
  private final InstantSource clock;
  private final FenceLedger ledger;

  /** Many cordons go out at once; one after another, they do not meet each other's versions. */
  private final ReentrantLock taking = new ReentrantLock();

  /**
   * @param seen whose marks count in the breaker even when they hold no place
   * @param namespace where the places of the breaker are kept
   */
  NodeCalls(
      KubernetesClient client,
      ApiCalls api,
      ClusterState seen,
      String namespace,
      InstantSource clock) {
    this.client = client;
    this.api = api;
    this.clock = clock;
    this.ledger =
        new FenceLedger(
            new FenceStore(client, api, seen, namespace, name -> marked(get(name))), clock);
  }

  void cordon(String name, String recovery, String reason, int limit) {
    api.change(() -> tryCordon(name, recovery, reason, limit));
  }

  /**
   * The node is read before the place is taken: a cordon that comes too late for its place meets
   * another version of the node, unless nothing has happened to it.
   */
  private void tryCordon(String name, String recovery, String reason, int limit) {
    Node node =
        get(name).orElseThrow(() -> new StaleException("node " + name + " no longer exists"));
    if (Boolean.TRUE.equals(node.getSpec().getUnschedulable())) {
      return;
    }
    taking.lock();
    try {
      ledger.take(name, recovery, limit);
    } finally {
      taking.unlock();
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
    ledger.release(
        name,
        () -> {
          AtomicBoolean lifted = new AtomicBoolean();
          api.change(() -> lifted.set(tryRelease(name)));
          return lifted.get();
        });
  }

  private boolean tryRelease(String name) {
    Optional<Node> node = get(name);
    if (!marked(node)) {
      return false;
    }
    Map<String, @Nullable String> marks = new LinkedHashMap<>();
    marks.put(Marks.FENCED_BY, null);
    marks.put(Marks.FENCE_REASON, null);
    marks.put(Marks.FENCED_AT, null);
    patch(node.orElseThrow(), marks, null);
    return true;
  }

  /** A lease that cannot be read is no reason not to go on: it only adds to what is told. */
  Optional<Instant> lease(String name) {
    try {
      return api.find(() -> client.leases().inNamespace(LEASES).withName(name).get())
          .map(lease -> lease.getSpec() == null ? null : lease.getSpec().getRenewTime())
          .map(ZonedDateTime::toInstant);
    } catch (KubernetesClientException unread) {
      LOG.atWarn()
          .addKeyValue("node", name)
          .addKeyValue("error", unread.toString())
          .log("Cannot read the lease of a node");
      return Optional.empty();
    }
  }

  private Optional<Node> get(String name) {
    return api.find(() -> client.nodes().withName(name).get());
  }

  private static boolean marked(Optional<Node> node) {
    return node.map(n -> n.getMetadata().getAnnotations())
        .filter(annotations -> annotations.containsKey(Marks.FENCED_BY))
        .isPresent();
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
