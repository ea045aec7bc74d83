package dev.rekindle.detect.pod;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;

/**
 * The container of a pod that trains, as the kubelet reports it.
 *
 * @param id its id without the runtime's prefix; empty when there is none yet
 * @param restartCount how often the kubelet has started it again
 * @param running whether it runs
 */
public record TrainingContainer(String id, int restartCount, boolean running) {
  /** None was made yet. */
  public static final TrainingContainer NONE = new TrainingContainer("", 0, false);

  /** The training operator demands this name. */
  public static final String NAME = "pytorch";

  static TrainingContainer of(Pod pod) {
    if (pod.getStatus() == null || pod.getStatus().getContainerStatuses() == null) {
      return NONE;
    }
    return pod.getStatus().getContainerStatuses().stream()
        .filter(status -> NAME.equals(status.getName()))
        .findFirst()
        .map(TrainingContainer::of)
        .orElse(NONE);
  }

  private static TrainingContainer of(ContainerStatus status) {
    var id = status.getContainerID() == null ? "" : status.getContainerID();
    var scheme = id.indexOf("://");
    return new TrainingContainer(
        scheme < 0 ? id : id.substring(scheme + 3),
        status.getRestartCount() == null ? 0 : status.getRestartCount(),
        status.getState() != null && status.getState().getRunning() != null);
  }
}
