package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.kubernetes.convert.InspectorReport;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Optional;

/** Reads the ends of the logs of pods that we have started ourselves. */
final class PodLogs {
  private final KubernetesClient client;
  private final ApiCalls api;

  PodLogs(KubernetesClient client, Circuits circuits) {
    this.client = client;
    // Kubelets answer for logs: one that is gone says nothing of the API server.
    this.api = circuits.of("pods/log");
  }

  /** The last lines of a pod that has begun to run; empty where it has not. */
  Optional<String> tail(Pod pod) {
    String phase = pod.getStatus() == null ? "" : pod.getStatus().getPhase();
    if (!"Running".equals(phase) && !"Succeeded".equals(phase)) {
      return Optional.empty();
    }
    return Optional.ofNullable(
        api.in(pod.getMetadata().getNamespace())
            .call(
                () ->
                    client
                        .pods()
                        .inNamespace(pod.getMetadata().getNamespace())
                        .withName(pod.getMetadata().getName())
                        .limitBytes(InspectorReport.TAIL_BYTES)
                        .tailingLines(InspectorReport.TAIL_LINES)
                        .getLog()));
  }
}
