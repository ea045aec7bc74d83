package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.QueueView;
import dev.rekindle.controller.model.WorkloadView;
import dev.rekindle.detect.ApiTime;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads Workloads and ClusterQueues of Kueue, versions v1beta1 and v1beta2 alike. Never throws,
 * whatever the object holds.
 */
public final class KueueReader {
  private static final int MAX_MESSAGE = 256;
  private static final List<String> LEVELS = List.of("required", "preferred", "unconstrained");

  private KueueReader() {}

  /** The Workload; empty for one that no PyTorchJob controls. */
  public static Optional<WorkloadView> workload(GenericKubernetesResource workload) {
    ObjectMeta meta = workload.getMetadata();
    OwnerReference owner = owner(meta).orElse(null);
    if (owner == null) {
      return Optional.empty();
    }
    Map<?, ?> spec = map(workload.get("spec"));
    Map<?, ?> status = map(workload.get("status"));
    Map<?, ?> admission = map(status.get("admission"));
    Object active = spec.get("active");
    boolean admitted = isTrue(status, "Admitted");
    return Optional.of(
        new WorkloadView(
            orEmpty(meta.getNamespace()),
            orEmpty(meta.getName()),
            new JobKey(orEmpty(meta.getNamespace()), orEmpty(owner.getName())),
            orEmpty(owner.getUid()),
            !Boolean.FALSE.equals(active),
            annotation(meta, Annotations.SUSPENDED_BY),
            admission.get("clusterQueue") instanceof String queue ? queue : "",
            isTrue(status, "QuotaReserved"),
            admitted,
            isTrue(status, "Finished"),
            isTopologyAware(spec, admission),
            admitted ? "" : message(status, "QuotaReserved")));
  }

  /** The ClusterQueue. */
  public static Optional<QueueView> queue(GenericKubernetesResource queue) {
    ObjectMeta meta = queue.getMetadata();
    Object stop = map(queue.get("spec")).get("stopPolicy");
    return Optional.of(
        new QueueView(
            orEmpty(meta.getName()),
            stop != null && !"None".equals(stop),
            annotation(meta, Annotations.HELD_FOR),
            ApiTime.parse(annotation(meta, Annotations.HELD_AT))));
  }

  private static Optional<OwnerReference> owner(ObjectMeta meta) {
    return Objects.requireNonNullElse(meta.getOwnerReferences(), List.<OwnerReference>of()).stream()
        .filter(owner -> Boolean.TRUE.equals(owner.getController()))
        .filter(
            owner ->
                "PyTorchJob".equals(owner.getKind())
                    && orEmpty(owner.getApiVersion()).startsWith("kubeflow.org/"))
        .findFirst();
  }

  /**
   * Asked for by a template, or assigned to all pods of a queue whose flavor has a topology. Kueue
   * writes a request without any of these words into each Workload.
   */
  private static boolean isTopologyAware(Map<?, ?> spec, Map<?, ?> admission) {
    return list(spec.get("podSets")).stream()
            .map(set -> map(map(set).get("topologyRequest")))
            .anyMatch(request -> LEVELS.stream().anyMatch(request::containsKey))
        || list(admission.get("podSetAssignments")).stream()
            .anyMatch(set -> map(set).get("topologyAssignment") != null);
  }

  private static Optional<Map<?, ?>> condition(Map<?, ?> status, String type) {
    return list(status.get("conditions")).stream()
        .<Map<?, ?>>map(KueueReader::map)
        .filter(condition -> type.equals(condition.get("type")))
        .findFirst();
  }

  private static boolean isTrue(Map<?, ?> status, String type) {
    return condition(status, type).filter(c -> "True".equals(c.get("status"))).isPresent();
  }

  private static String message(Map<?, ?> status, String type) {
    String text =
        condition(status, type)
            .flatMap(KueueReader::said)
            .orElse("")
            .replaceAll("[\\p{Cc}\\s]+", " ")
            .strip();
    return text.length() <= MAX_MESSAGE ? text : text.substring(0, MAX_MESSAGE - 3) + "...";
  }

  private static Optional<String> said(Map<?, ?> condition) {
    return condition.get("message") instanceof String text ? Optional.of(text) : Optional.empty();
  }

  private static String annotation(ObjectMeta meta, String name) {
    return meta.getAnnotations() == null ? "" : Texts.cut(meta.getAnnotations().get(name));
  }

  private static Map<?, ?> map(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? map : Map.of();
  }

  private static List<?> list(@Nullable Object value) {
    return value instanceof List<?> list ? list : List.of();
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
