package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Labels;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.detect.ApiTime;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads a pod that is a warm spare. Never throws, whatever the object holds. */
public final class SpareReader {
  private SpareReader() {}

  /** The flat view; empty where it is not owned by a PyTorchJob, or is a pod of one. */
  public static Optional<SpareView> read(Pod pod) {
    ObjectMeta meta = pod.getMetadata();
    Map<String, String> labels = Objects.requireNonNullElse(meta.getLabels(), Map.of());
    OwnerReference owner =
        Objects.requireNonNullElse(meta.getOwnerReferences(), List.<OwnerReference>of()).stream()
            .filter(o -> "PyTorchJob".equals(o.getKind()))
            .findFirst()
            .orElse(null);
    // A pod of a gang never counts as a spare, whatever labels its template gives it.
    if (owner == null
        || !Labels.SPARE.equals(labels.get(Labels.COMPONENT))
        || labels.containsKey(Labels.JOB_NAME)) {
      return Optional.empty();
    }
    PodStatus status = Objects.requireNonNullElseGet(pod.getStatus(), PodStatus::new);
    return Optional.of(
        new SpareView(
            new JobKey(orEmpty(meta.getNamespace()), orEmpty(owner.getName())),
            orEmpty(meta.getName()),
            SparePod.slot(orEmpty(meta.getName())),
            orEmpty(meta.getUid()),
            orEmpty(owner.getUid()),
            Objects.requireNonNullElse(meta.getAnnotations(), Map.<String, String>of())
                .getOrDefault(Annotations.SPARE_TEMPLATE, ""),
            pod.getSpec() == null ? "" : orEmpty(pod.getSpec().getNodeName()),
            PodReader.phase(orEmpty(status.getPhase())),
            meta.getDeletionTimestamp() != null,
            Gpus.of(pod.getSpec()),
            AmountsReader.of(pod.getSpec()),
            Objects.requireNonNullElse(ApiTime.parse(meta.getCreationTimestamp()), Instant.EPOCH)));
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
