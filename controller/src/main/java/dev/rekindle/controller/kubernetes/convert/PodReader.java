package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Labels;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.detect.ApiTime;
import dev.rekindle.detect.node.PodDeviceReader;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
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

/** Reads a pod of a PyTorchJob. Never throws, whatever the object holds. */
public final class PodReader {
  private PodReader() {}

  /** The flat view of the pod; empty when its labels name no job. */
  public static Optional<PodView> read(Pod pod) {
    ObjectMeta meta = pod.getMetadata();
    Map<String, String> labels = orEmpty(meta.getLabels());
    String job = labels.getOrDefault(Labels.JOB_NAME, "");
    if (job.isEmpty()) {
      return Optional.empty();
    }
    PodStatus status = Objects.requireNonNullElseGet(pod.getStatus(), PodStatus::new);
    List<ContainerStatus> containers =
        Objects.requireNonNullElse(status.getContainerStatuses(), List.of());
    return Optional.of(
        new PodView(
            new JobKey(orEmpty(meta.getNamespace()), job),
            orEmpty(meta.getName()),
            orEmpty(meta.getUid()),
            owner(meta),
            labels.getOrDefault(Labels.REPLICA_TYPE, ""),
            index(labels.getOrDefault(Labels.REPLICA_INDEX, "")),
            pod.getSpec() == null ? "" : orEmpty(pod.getSpec().getNodeName()),
            phase(orEmpty(status.getPhase())),
            ready(status),
            grace(pod),
            meta.getDeletionGracePeriodSeconds(),
            ApiTime.parse(meta.getDeletionTimestamp()),
            CopiedAnnotations.areOf(owner(meta), orEmpty(meta.getAnnotations()))
                ? Texts.cut(orEmpty(meta.getAnnotations()).get(Annotations.ATTEMPT))
                : "",
            containers.stream().mapToInt(PodReader::restarts).sum(),
            lastExit(containers),
            PodFailureReader.of(pod),
            Objects.requireNonNullElse(ApiTime.parse(meta.getCreationTimestamp()), Instant.EPOCH),
            Gpus.of(pod.getSpec()),
            PodDeviceReader.read(pod),
            orEmpty(meta.getAnnotations()).getOrDefault(Annotations.RESUME_FROM, ""),
            AmountsReader.of(pod.getSpec()),
            group(meta),
            NetworkStatusReader.read(orEmpty(meta.getAnnotations()))));
  }

  /**
   * The API server fills in 30 where the template is silent; a view without it means an odd object.
   */
  private static long grace(Pod pod) {
    Long grace = pod.getSpec() == null ? null : pod.getSpec().getTerminationGracePeriodSeconds();
    return grace == null ? 30 : grace;
  }

  private static String owner(ObjectMeta meta) {
    return Objects.requireNonNullElse(meta.getOwnerReferences(), List.<OwnerReference>of()).stream()
        .filter(owner -> Boolean.TRUE.equals(owner.getController()))
        .map(owner -> orEmpty(owner.getUid()))
        .findFirst()
        .orElse("");
  }

  private static GangScheduling.Group group(ObjectMeta meta) {
    String plugin = orEmpty(meta.getLabels()).getOrDefault(Labels.POD_GROUP, "");
    String volcano = orEmpty(meta.getAnnotations()).getOrDefault(Annotations.VOLCANO_GROUP, "");
    return !plugin.isEmpty()
        ? new GangScheduling.Group(GangScheduling.Scheduler.COSCHEDULING, plugin)
        : !volcano.isEmpty()
            ? new GangScheduling.Group(GangScheduling.Scheduler.VOLCANO, volcano)
            : GangScheduling.Group.NONE;
  }

  private static int index(String label) {
    try {
      return Integer.parseInt(label);
    } catch (NumberFormatException notANumber) {
      return -1;
    }
  }

  static Phase phase(String phase) {
    return switch (phase) {
      case "", "Pending" -> Phase.PENDING;
      case "Running" -> Phase.RUNNING;
      case "Succeeded" -> Phase.SUCCEEDED;
      case "Failed" -> Phase.FAILED;
      default -> Phase.UNKNOWN;
    };
  }

  private static boolean ready(PodStatus status) {
    return status.getConditions() != null
        && status.getConditions().stream()
            .anyMatch(c -> "Ready".equals(c.getType()) && "True".equals(c.getStatus()));
  }

  private static int restarts(ContainerStatus container) {
    return container.getRestartCount() == null ? 0 : container.getRestartCount();
  }

  private static @Nullable Instant lastExit(List<ContainerStatus> containers) {
    Instant newest = null;
    for (ContainerStatus container : containers) {
      newest = Times.later(newest, exit(container.getState()));
      newest = Times.later(newest, exit(container.getLastState()));
    }
    return newest;
  }

  private static @Nullable Instant exit(@Nullable ContainerState state) {
    return state == null || state.getTerminated() == null
        ? null
        : ApiTime.parse(state.getTerminated().getFinishedAt());
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  private static Map<String, String> orEmpty(@Nullable Map<String, String> map) {
    return map == null ? Map.of() : map;
  }
}
