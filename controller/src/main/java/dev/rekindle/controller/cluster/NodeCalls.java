package dev.rekindle.controller.cluster;

import dev.rekindle.controller.cluster.ClusterGateway.StaleException;
import dev.rekindle.controller.fence.FenceLedger;
import dev.rekindle.controller.fence.FenceLimit;
import dev.rekindle.controller.job.Marks;
import dev.rekindle.controller.runtime.GroupCommit;
import dev.rekindle.controller.verdict.Troubles;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
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
            new FenceStore(client, api, seen, namespace, name -> marked(get(name))),
            clock,
            GroupCommit::threadSeat);
  }

  boolean cordon(String name, String by, String reason, FenceLimit limit) {
    AtomicBoolean cordoned = new AtomicBoolean();
    api.change(() -> cordoned.set(tryCordon(name, by, reason, limit)));
    return cordoned.get();
  }

  /**
   * The node is read before the place is taken: a cordon that comes too late for its place meets
   * another version of the node, unless nothing has happened to it.
   */
  private boolean tryCordon(String name, String by, String reason, FenceLimit limit) {
    Node node =
        get(name).orElseThrow(() -> new StaleException("node " + name + " no longer exists"));
    if (Boolean.TRUE.equals(node.getSpec().getUnschedulable())) {
      return false;
    }
    ledger.take(name, by, limit);
    Map<String, @Nullable String> marks = new LinkedHashMap<>();
    marks.put(Marks.FENCED_BY, by);
    marks.put(
        Marks.FENCE_REASON,
        reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason);
    marks.put(Marks.FENCED_AT, clock.instant().toString());
    marks.put(Marks.TROUBLES, troubles(node).and(clock.instant(), by).format());
    patch(node, marks, true);
    return true;
  }

  private static Troubles troubles(Node node) {
    Map<String, String> annotations = node.getMetadata().getAnnotations();
    return Troubles.parse(annotations == null ? "" : annotations.getOrDefault(Marks.TROUBLES, ""));
  }

  /** Writes down that a recovery blames the node, unless that is known. */
  void blame(String name, String by) {
    api.change(() -> get(name).ifPresent(node -> tryBlame(node, by)));
  }

  private void tryBlame(Node node, String by) {
    Troubles before = troubles(node);
    Troubles after = before.and(clock.instant(), by);
    if (!after.equals(before)) {
      Map<String, @Nullable String> marks = new LinkedHashMap<>();
      marks.put(Marks.TROUBLES, after.format());
      patch(node, metadata(node, marks), null);
    }
  }

  /** Puts the label of a lemon on the node, or takes it off. */
  void markLemon(String name, boolean lemon) {
    Map<String, @Nullable Object> labels = new LinkedHashMap<>();
    labels.put(Marks.LEMON, lemon ? "true" : null);
    Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
    metadata.put("labels", labels);
    String patch = client.getKubernetesSerialization().asJson(Map.of("metadata", metadata));
    var _ = api.find(() -> named(name).patch(PatchContext.of(PatchType.JSON_MERGE), patch));
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
    // What a person approved was this fence, not the next one.
    marks.put(Marks.APPROVE_FENCE, null);
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
    Map<String, @Nullable Object> spec = new LinkedHashMap<>();
    spec.put("unschedulable", unschedulable);
    patch(node, metadata(node, marks), spec);
  }

  private static Map<String, @Nullable Object> metadata(
      Node node, Map<String, @Nullable String> marks) {
    Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
    metadata.put("resourceVersion", node.getMetadata().getResourceVersion());
    metadata.put("uid", node.getMetadata().getUid());
    metadata.put("annotations", marks);
    return metadata;
  }

  private void patch(
      Node node,
      Map<String, @Nullable Object> metadata,
      @Nullable Map<String, @Nullable Object> spec) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("metadata", metadata);
    if (spec != null) {
      body.put("spec", spec);
    }
    String patch = client.getKubernetesSerialization().asJson(body);
    var _ =
        api.answer(
            () ->
                named(node.getMetadata().getName())
                    .patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }

  /** A node to be patched. One asked for by its name alone would be read first by the client. */
  private Resource<Node> named(String name) {
    return client
        .nodes()
        .resource(new NodeBuilder().withNewMetadata().withName(name).endMetadata().build());
  }
}
