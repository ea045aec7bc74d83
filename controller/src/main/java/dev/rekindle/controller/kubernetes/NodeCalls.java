package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.fencing.FenceSlotAllocator;
import dev.rekindle.controller.kubernetes.convert.NodeReader;
import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.FencedFor;
import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.runtime.GroupCommit;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
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
  private final ApiCalls leases;
  private final InstantSource clock;
  private final FlatState seen;
  private final NodePatches patches;
  private final FenceSlotAllocator ledger;

  /**
   * @param seen nodes as the watch last showed them, whose annotations count in the breaker even
   *     when they hold no place
   * @param namespace where the slots of the breaker are kept
   */
  NodeCalls(
      KubernetesClient client,
      Circuits circuits,
      FlatState seen,
      String namespace,
      InstantSource clock) {
    this.client = client;
    this.leases = circuits.of("leases");
    this.clock = clock;
    this.seen = seen;
    this.patches = new NodePatches(client, circuits, seen);
    this.ledger =
        new FenceSlotAllocator(
            new FenceStore(
                client,
                circuits.of("configmaps"),
                seen,
                namespace,
                name ->
                    patches
                        .read(name)
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
    patches.change(
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
  private static NodeTarget same(NodeTarget node, String decided) {
    if (!decided.isEmpty() && !node.uid().isEmpty() && !decided.equals(node.uid())) {
      throw new StaleException("node " + node.name() + " is another one of the name");
    }
    return node;
  }

  /**
   * The node is read before the place is taken: a cordon that comes too late for its place meets
   * another version of the node, unless nothing has happened to it.
   */
  private boolean tryCordon(NodeTarget node, String by, String reason, FenceLimit limit) {
    if (node.unschedulable()) {
      return false;
    }
    ledger.take(node.name(), node.uid(), by, limit);
    Map<String, @Nullable String> annotations = new LinkedHashMap<>();
    annotations.put(Annotations.FENCED_BY, by);
    annotations.put(
        Annotations.FENCE_REASON,
        reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason);
    annotations.put(Annotations.FENCED_AT, clock.instant().toString());
    annotations.put(
        Annotations.INCIDENTS,
        NodeIncidentHistory.parse(node.incidents()).and(clock.instant(), by).format());
    if (!limit.quota().namespaces().isEmpty()) {
      FencedFor before = FencedFor.parse(node.fencedFor());
      annotations.put(
          Annotations.FENCED_FOR, before.and(clock.instant(), limit.quota().namespaces()).format());
    }
    patches.cordonOrLift(node, annotations, true);
    return true;
  }

  void release(String name) {
    ledger.release(
        name,
        () -> {
          AtomicBoolean lifted = new AtomicBoolean();
          patches.change(name, NodeTarget::marked, found -> lifted.set(tryRelease(found)));
          return lifted.get();
        });
  }

  private boolean tryRelease(Optional<NodeTarget> found) {
    Optional<NodeTarget> ours = found.filter(NodeTarget::marked);
    Map<String, @Nullable String> annotations = new LinkedHashMap<>();
    annotations.put(Annotations.FENCED_BY, null);
    annotations.put(Annotations.FENCE_REASON, null);
    annotations.put(Annotations.FENCED_AT, null);
    // What a person approved was this fence, not the next one.
    annotations.put(Annotations.APPROVE_FENCE, null);
    ours.ifPresent(node -> patches.cordonOrLift(node, annotations, null));
    return ours.isPresent();
  }

  /** The Node as the API server shows it. */
  Optional<NodeView> live(String name, Predicate<String> conditions) {
    return patches.live(name).map(node -> NodeReader.read(node, conditions));
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
}
