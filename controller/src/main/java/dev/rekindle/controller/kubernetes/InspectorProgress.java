package dev.rekindle.controller.kubernetes;

import dev.rekindle.detect.pod.PodFactsReader;
import dev.rekindle.detect.pod.PodFailure;
import dev.rekindle.detect.pod.PodFailures;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What the Job of an inspector and its pod show before there is a report. */
final class InspectorProgress {
  private InspectorProgress() {}

  /** Why the Job failed; empty where it has not. */
  static Optional<String> failed(Job job) {
    if (job.getStatus() == null || job.getStatus().getConditions() == null) {
      return Optional.empty();
    }
    return job.getStatus().getConditions().stream()
        .filter(c -> "Failed".equals(c.getType()) && "True".equals(c.getStatus()))
        .findFirst()
        .map(c -> "The inspector failed: " + c.getReason() + ", " + c.getMessage());
  }

  /** An image that is being pulled may come; a container that is refused stays refused. */
  static Optional<String> cannotStart(Pod pod) {
    return PodFailures.all(PodFactsReader.read(pod)).stream()
        .filter(failure -> failure.kind() == PodFailure.Kind.START_ERROR)
        .findFirst()
        .map(failure -> "The inspector cannot start: " + failure.evidence());
  }

  /** What a pod waits for. */
  static String waitsFor(Pod pod) {
    if (pod.getStatus() == null) {
      return "the inspector's pod is new";
    }
    return Objects.requireNonNullElse(
            pod.getStatus().getContainerStatuses(), List.<ContainerStatus>of())
        .stream()
        .filter(c -> c.getState() != null && c.getState().getWaiting() != null)
        .findFirst()
        .map(c -> "the inspector's container waits: " + c.getState().getWaiting().getReason())
        .orElse("the inspector's pod is " + pod.getStatus().getPhase());
  }
}
