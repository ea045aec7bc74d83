package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.Recovery;
import dev.rekindle.controller.cli.ListedRecovery;
import dev.rekindle.controller.cli.ReleasePlan;
import dev.rekindle.controller.model.Annotations;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a person requests at the command line, with the rights of that person. Each call throws
 * {@link KubernetesClientException} where the API server refuses.
 */
public final class OperatorCalls {
  private static final int ATTEMPTS = 5;

  private final KubernetesClient client;

  /** Calls with that client. */
  public OperatorCalls(KubernetesClient client) {
    this.client = client;
  }

  /** A node with its NodeFaults, and what gives it back. */
  public record Release(Node node, List<NodeFault> faults, ReleasePlan plan) {}

  /** Recoveries of a namespace; empty for all of them. */
  public List<Recovery> recoveries(String namespace) {
    var all = client.resources(Recovery.class);
    var list =
        namespace.isEmpty() ? all.inAnyNamespace().list() : all.inNamespace(namespace).list();
    return list.getItems().stream().filter(r -> r.getSpec() != null).toList();
  }

  /** One of them; empty where there is none. */
  public Optional<Recovery> recovery(String namespace, String name) {
    return Optional.ofNullable(
            client.resources(Recovery.class).inNamespace(namespace).withName(name).get())
        .filter(r -> r.getSpec() != null);
  }

  /** Without what the client adds. */
  public static ListedRecovery listed(Recovery recovery) {
    var meta = recovery.getMetadata();
    return new ListedRecovery(
        Objects.requireNonNullElse(meta.getNamespace(), ""),
        meta.getName(),
        meta.getCreationTimestamp() == null ? null : Instant.parse(meta.getCreationTimestamp()),
        recovery.getSpec(),
        recovery.getStatus());
  }

  /**
   * Sets {@code spec.approved} of this very object: one created again under its name is refused.
   */
  public void approve(Recovery recovery) {
    approve(recovery, true);
  }

  /** The same where an approval has expired: it is taken back first, so that it is another one. */
  public void approveAgain(Recovery recovery) {
    approve(recovery, false);
    approve(recovery, true);
  }

  /** Whether it was approved, and that is too long ago for the controller to act on. */
  public static boolean approvalExpired(Recovery recovery) {
    return Boolean.TRUE.equals(recovery.getSpec().approved())
        && recovery.getStatus() != null
        && recovery.getStatus().conditions().stream()
            .anyMatch(c -> "Approved".equals(c.getType()) && "False".equals(c.getStatus()));
  }

  private void approve(Recovery recovery, boolean approved) {
    patch(
        client
                .resources(Recovery.class)
                .inNamespace(recovery.getMetadata().getNamespace())
                .withName(recovery.getMetadata().getName())
            ::patch,
        Map.of(
            "metadata",
            Map.of("uid", recovery.getMetadata().getUid()),
            "spec",
            Map.of("approved", approved)));
  }

  /** A NodeFault; empty where there is none. */
  public Optional<NodeFault> fault(String name) {
    return Optional.ofNullable(client.resources(NodeFault.class).withName(name).get())
        .filter(f -> f.getSpec() != null);
  }

  /**
   * Approves that the fault's node is fenced for it. An older approval is taken off first: what is
   * written as it stands has no new time, and an approval expires.
   */
  public void approve(NodeFault fault) {
    approveFence(fault.getSpec().node(), null);
    approveFence(fault.getSpec().node(), fault.getMetadata().getName());
  }

  private void approveFence(String node, @Nullable String fault) {
    Map<String, @Nullable String> annotations = new HashMap<>();
    annotations.put(Annotations.APPROVE_FENCE, fault);
    patch(
        client.nodes().withName(node)::patch,
        Map.of("metadata", Map.of("annotations", annotations)));
  }

  /** What would give a node back; empty where there is no such node. */
  public Optional<Release> release(String name, boolean forgive) {
    return Optional.ofNullable(client.nodes().withName(name).get())
        .map(node -> release(node, forgive));
  }

  private Release release(Node node, boolean forgive) {
    String name = node.getMetadata().getName();
    List<NodeFault> faults =
        client.resources(NodeFault.class).list().getItems().stream()
            .filter(f -> f.getSpec() != null && f.getSpec().node().equals(name))
            .toList();
    Map<String, String> annotations =
        Objects.requireNonNullElse(node.getMetadata().getAnnotations(), Map.of());
    var target =
        new ReleasePlan.Target(
            name,
            Boolean.TRUE.equals(node.getSpec().getUnschedulable()),
            annotations.getOrDefault(Annotations.FENCED_BY, ""),
            annotations.containsKey(Annotations.INCIDENTS)
                || annotations.containsKey(Annotations.STALLS));
    return new Release(
        node,
        faults,
        ReleasePlan.of(target, faults.stream().map(OperatorCalls::seen).toList(), forgive));
  }

  private static ReleasePlan.Fault seen(NodeFault fault) {
    NodeFaultStatus status = fault.getStatus();
    return new ReleasePlan.Fault(
        fault.getMetadata().getName(),
        fault.getSpec().fence(),
        status == null || status.state() == NodeFaultStatus.State.ACTIVE);
  }

  /**
   * Deletes the faults, each only as it was seen: one that has come back meanwhile is refused. Then
   * lifts the cordon, if it is still Rekindle's: the controller may have been faster.
   */
  public void carryOut(Release release) {
    release.faults().stream()
        .filter(f -> release.plan().faults().contains(f.getMetadata().getName()))
        .forEach(
            fault -> {
              var _ =
                  client
                      .resource(fault)
                      .lockResourceVersion(fault.getMetadata().getResourceVersion())
                      .delete();
            });
    if (release.plan().uncordon() || release.plan().forgive()) {
      markAsLast(release);
    }
  }

  /** The controller and kubelets write nodes as well: a conflict is tried again, some times. */
  private void markAsLast(Release release) {
    for (int attempt = 1; ; attempt++) {
      try {
        mark(release);
        return;
      } catch (KubernetesClientException e) {
        if (e.getCode() != HttpURLConnection.HTTP_CONFLICT || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private void mark(Release release) {
    Node now = client.nodes().withName(release.node().getMetadata().getName()).get();
    if (now == null) {
      return;
    }
    Map<String, String> found =
        Objects.requireNonNullElse(now.getMetadata().getAnnotations(), Map.of());
    Map<String, @Nullable String> annotations = new HashMap<>();
    if (release.plan().forgive()) {
      annotations.put(Annotations.INCIDENTS, null);
      annotations.put(Annotations.STALLS, null);
    }
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    if (release.plan().uncordon() && found.containsKey(Annotations.FENCED_BY)) {
      annotations.put(Annotations.FENCED_BY, null);
      annotations.put(Annotations.FENCE_REASON, null);
      annotations.put(Annotations.FENCED_AT, null);
      annotations.put(Annotations.APPROVE_FENCE, null);
      Map<String, @Nullable Object> spec = new HashMap<>();
      spec.put("unschedulable", null);
      body.put("spec", spec);
    }
    if (annotations.isEmpty()) {
      return;
    }
    Map<String, Object> metadata = new HashMap<>();
    // Of the node that was shown, as it is: no cordon of somebody else's is lifted.
    metadata.put("uid", release.node().getMetadata().getUid());
    metadata.put("resourceVersion", now.getMetadata().getResourceVersion());
    metadata.put("annotations", annotations);
    body.put("metadata", metadata);
    patch(client.nodes().withName(now.getMetadata().getName())::patch, body);
  }

  private interface Patch {
    Object apply(PatchContext context, String body);
  }

  private void patch(Patch patch, Map<String, ? extends @Nullable Object> body) {
    var _ =
        patch.apply(
            PatchContext.of(PatchType.JSON_MERGE),
            client.getKubernetesSerialization().asJson(body));
  }
}
