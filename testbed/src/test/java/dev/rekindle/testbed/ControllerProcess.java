package dev.rekindle.testbed;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Our controller, as a pod and as a process of the host. */
final class ControllerProcess {
  static final String NAMESPACE = "rekindle-system";
  private static final String COMPONENT = "app.kubernetes.io/component";
  private static final String CONTAINER = "controller";

  private final KubernetesClient client;

  ControllerProcess(KubernetesClient client) {
    this.client = client;
  }

  List<Pod> pods() {
    return client.pods().inNamespace(NAMESPACE).withLabel(COMPONENT, CONTAINER).list().getItems();
  }

  /** The one pod; the testbed runs one. */
  Pod pod() {
    List<Pod> running =
        pods().stream().filter(p -> p.getMetadata().getDeletionTimestamp() == null).toList();
    if (running.size() != 1) {
      throw new AssertionError("not one controller pod but " + running.size());
    }
    return running.getFirst();
  }

  /** Its processes on the host. */
  List<Long> processes() {
    return Host.processes(pod(), CONTAINER);
  }

  int restarts() {
    return pod().getStatus().getContainerStatuses().stream()
        .mapToInt(ContainerStatus::getRestartCount)
        .sum();
  }

  /**
   * A controller that was never killed: the kubelet waits longer before every further restart of a
   * container.
   */
  void renew() {
    if (restarts() > 0) {
      String uid = pod().getMetadata().getUid();
      client.resource(pod()).delete();
      Await.until(
          "the old controller pod gone",
          Duration.ofSeconds(60),
          () -> pods().stream().noneMatch(p -> p.getMetadata().getUid().equals(uid)));
    }
    awaitReady();
  }

  void awaitReady() {
    Await.until(
        "the controller Ready",
        Duration.ofSeconds(90),
        () -> pods().size() == 1 && ready(pods().getFirst()),
        () -> pods().toString());
  }

  static boolean ready(Pod pod) {
    return Optional.ofNullable(pod.getStatus().getConditions()).orElse(List.of()).stream()
        .anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"));
  }
}
