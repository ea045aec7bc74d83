package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.cache.Table;
import dev.rekindle.controller.fencing.FenceSlotAllocator;
import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.FencedFor;
import dev.rekindle.controller.model.Labels;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.runtime.GroupCommit;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
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
  private final ApiCalls leases;
  private final InstantSource clock;
  private final FlatState seen;
  private final FenceSlotAllocator ledger;

  /**
   * The state of a node on which a change of it depends.
   *
   * @param version the version that the change is to meet; names one state of one object, so that a
   *     node created again under the same name is met by none
   * @param unschedulable whether it is cordoned, by anybody
   * @param marked whether it carries our mark
   * @param incidents as our annotation on it has them, else empty
   * @param fencedFor as our annotation on it has it, else empty
   * @param stalls as our annotation on it has it, else empty
   * @param uid its UID, empty when unknown
   */
  private record Target(
      String name,
      String version,
      boolean unschedulable,
      boolean marked,
      String incidents,
      String fencedFor,
      String stalls,
      String uid) {

    static Target read(Node node) {
      Map<String, String> annotations =
          Objects.requireNonNullElse(node.getMetadata().getAnnotations(), Map.of());
      return new Target(
          node.getMetadata().getName(),
          node.getMetadata().getResourceVersion(),
          Boolean.TRUE.equals(node.getSpec().getUnschedulable()),
          annotations.containsKey(Annotations.FENCED_BY),
          annotations.getOrDefault(Annotations.INCIDENTS, ""),
          annotations.getOrDefault(Annotations.FENCED_FOR, ""),
          annotations.getOrDefault(Annotations.STALLS, ""),
          Objects.requireNonNullElse(node.getMetadata().getUid(), ""));
    }

    static Target seen(Table.Versioned<NodeView> seen) {
      NodeView node = seen.value();
      return new Target(
          node.name(),
          seen.resourceVersion(),
          node.unschedulable(),
          node.fencedByUs(),
          node.incidents(),
          node.fencedFor(),
          node.stalls(),
          node.uid());
    }
  }

  /**
   * @param seen nodes as the watch last showed them, whose marks count in the breaker even when
   *     they hold no place
   * @param namespace where the slots of the breaker are kept
   */
  NodeCalls(
      KubernetesClient client,
      Circuits circuits,
      FlatState seen,
      String namespace,
      InstantSource clock) {
    this.client = client;
    this.api = circuits.of("nodes");
    this.leases = circuits.of("leases");
    this.clock = clock;
    this.seen = seen;
    this.ledger =
        new FenceSlotAllocator(
            new FenceStore(
                client,
                circuits.of("configmaps"),
                seen,
                namespace,
                name ->
                    read(name)
                        .map(
                            n -> new FenceSlotAllocator.Found(n.uid(), n.marked(), n.fencedFor()))),
            clock,
            SteadyClock.system(),
            GroupCommit::threadSeat);
  }

  boolean cordon(String name, String by, String reason, FenceLimit limit) {
    AtomicBoolean cordoned = new AtomicBoolean();
    // Once, before the first call: the watch may show another Node of the name while we try.
    String decided =
        seen.node(name)
            .map(NodeView::uid)
            .orElseThrow(() -> new StaleException("node " + name + " is not seen yet"));
    change(
        name,
        seen -> !seen.unschedulable(),
        found ->
            cordoned.set(
                tryCordon(
                    same(
                        found.orElseThrow(() -> new StaleException("node " + name + " is gone")),
                        decided),
                    by,
                    reason,
                    limit)));
    return cordoned.get();
  }

  /**
   * What was decided of a Node is not done to another one that has its name since, nor to one that
   * the watch has yet to show: what stands against the name was said of the one before it.
   */
  private static Target same(Target node, String decided) {
    if (!decided.isEmpty() && !node.uid().isEmpty() && !decided.equals(node.uid())) {
      throw new StaleException("node " + node.name() + " is another one of the name");
    }
    return node;
  }

  /**
   * The node is read before the place is taken: a cordon that comes too late for its place meets
   * another version of the node, unless nothing has happened to it.
   */
  private boolean tryCordon(Target node, String by, String reason, FenceLimit limit) {
    if (node.unschedulable()) {
      return false;
    }
    ledger.take(node.name(), node.uid(), by, limit);
    Map<String, @Nullable String> marks = new LinkedHashMap<>();
    marks.put(Annotations.FENCED_BY, by);
    marks.put(
        Annotations.FENCE_REASON,
        reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason);
    marks.put(Annotations.FENCED_AT, clock.instant().toString());
    marks.put(Annotations.INCIDENTS, incidents(node).and(clock.instant(), by).format());
    if (!limit.quota().namespaces().isEmpty()) {
      FencedFor before = FencedFor.parse(node.fencedFor());
      marks.put(
          Annotations.FENCED_FOR, before.and(clock.instant(), limit.quota().namespaces()).format());
    }
    cordonOrLift(node, marks, true);
    return true;
  }

  private static NodeIncidentHistory incidents(Target node) {
    return NodeIncidentHistory.parse(node.incidents());
  }

  /** Writes down that a recovery blames the node, unless that is known. */
  void recordIncident(String name, String by) {
    change(name, seen -> true, found -> found.ifPresent(node -> tryBlame(node, by)));
  }

  private void tryBlame(Target node, String by) {
    NodeIncidentHistory before = incidents(node);
    NodeIncidentHistory after = before.and(clock.instant(), by);
    if (!after.equals(before)) {
      mark(node, Annotations.INCIDENTS, after.format());
    }
  }

  /** Writes down that a stall waited for a rank on the node, unless that is known. */
  void recordStall(String name, NamedStalls.Entry stall) {
    change(name, seen -> true, found -> found.ifPresent(node -> tryStall(node, stall)));
  }

  private void tryStall(Target node, NamedStalls.Entry stall) {
    String after = NamedStalls.parse(node.stalls()).and(stall).format();
    if (!after.equals(node.stalls())) {
      mark(node, Annotations.STALLS, after);
    }
  }

  private void mark(Target node, String annotation, String value) {
    Map<String, @Nullable String> marks = new LinkedHashMap<>();
    marks.put(annotation, value);
    patch(node.name(), Map.of("metadata", metadata(node, marks)));
  }

  /** Puts the label of a lemon on the node, or takes it off. */
  void markLemon(String name, boolean lemon) {
    Map<String, @Nullable Object> labels = new LinkedHashMap<>();
    labels.put(Labels.LEMON, lemon ? "true" : null);
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
          change(name, Target::marked, found -> lifted.set(tryRelease(found)));
          return lifted.get();
        });
  }

  private boolean tryRelease(Optional<Target> found) {
    Optional<Target> ours = found.filter(Target::marked);
    Map<String, @Nullable String> marks = new LinkedHashMap<>();
    marks.put(Annotations.FENCED_BY, null);
    marks.put(Annotations.FENCE_REASON, null);
    marks.put(Annotations.FENCED_AT, null);
    // What a person approved was this fence, not the next one.
    marks.put(Annotations.APPROVE_FENCE, null);
    ours.ifPresent(node -> cordonOrLift(node, marks, null));
    return ours.isPresent();
  }

  /**
   * Changes a node as the watch last showed it, and where that was too long ago, or may be the
   * reason to change nothing, as the API server says it.
   *
   * @param goOn whether something is to be done, should the watch be right
   */
  private void change(String name, Predicate<Target> goOn, Consumer<Optional<Target>> change) {
    AtomicBoolean tried = new AtomicBoolean();
    api.change(
        () -> {
          Optional<Target> shown =
              tried.getAndSet(true)
                  ? Optional.empty()
                  : seen.nodeToWrite(name).map(Target::seen).filter(goOn);
          change.accept(shown.or(() -> read(name)));
        });
  }

  /** A lease that cannot be read is no reason not to continue: it only adds to what is reported. */
  Optional<Instant> lease(String name) {
    try {
      return leases
          .find(() -> client.leases().inNamespace(LEASES).withName(name).get())
          .map(lease -> lease.getSpec() == null ? null : lease.getSpec().getRenewTime())
          .map(ZonedDateTime::toInstant);
    } catch (CallException unread) {
      LOG.atWarn()
          .addKeyValue(LogKey.NODE.key(), name)
          .addKeyValue(LogKey.ERROR.key(), unread.toString())
          .log("Cannot read the Lease of a node");
      return Optional.empty();
    }
  }

  private Optional<Target> read(String name) {
    return api.find(() -> client.nodes().withName(name).get()).map(Target::read);
  }

  private void cordonOrLift(
      Target node, Map<String, @Nullable String> marks, @Nullable Boolean unschedulable) {
    Map<String, @Nullable Object> spec = new LinkedHashMap<>();
    spec.put("unschedulable", unschedulable);
    patch(node.name(), Map.of("metadata", metadata(node, marks), "spec", spec));
  }

  private static Map<String, @Nullable Object> metadata(
      Target node, Map<String, @Nullable String> marks) {
    Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
    metadata.put("resourceVersion", node.version());
    metadata.put("annotations", marks);
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
