package dev.rekindle.testbed.scale;

import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Starts killed containers again, as kubelets do; kwok does all else that they do. */
final class Kubelets {
  /** From the end of a container to the next one's start: of the order that real ones take. */
  static final Duration START = Duration.ofSeconds(1);

  private static final int KILLED = 137;

  private final Api api;
  private final AtomicLong started = new AtomicLong();

  Kubelets(Api api) {
    this.api = api;
  }

  /** How many containers were started again. */
  long started() {
    return started.get();
  }

  /** Starts the killed container of a pod again: takes {@link #START} and one write. */
  void restart(Pod pod) {
    Api.sleep(START);
    ContainerStatus old = training(pod);
    int count = old.getRestartCount() + 1;
    String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    ContainerStatus next =
        new ContainerStatusBuilder(old)
            .withRestartCount(count)
            .withContainerID(id(pod, count))
            .withLastState(
                new ContainerStateBuilder()
                    .withNewTerminated()
                    .withContainerID(old.getContainerID())
                    .withExitCode(KILLED)
                    .withReason("Error")
                    .withStartedAt(old.getState().getRunning().getStartedAt())
                    .withFinishedAt(now)
                    .endTerminated()
                    .build())
            .withState(
                new ContainerStateBuilder()
                    .withNewRunning()
                    .withStartedAt(now)
                    .endRunning()
                    .build())
            .build();
    String patch =
        Serialization.asJson(Map.of("status", Map.of("containerStatuses", List.of(next))));
    var _ =
        api.call(
            () ->
                api.client()
                    .pods()
                    .inNamespace(pod.getMetadata().getNamespace())
                    .withName(pod.getMetadata().getName())
                    .subresource("status")
                    .patch(PatchContext.of(PatchType.JSON_MERGE), patch));
    started.incrementAndGet();
  }

  private static String id(Pod pod, int count) {
    return "kwok://" + pod.getMetadata().getUid() + "-" + count;
  }

  /** The container that trains. */
  static ContainerStatus training(Pod pod) {
    PodStatus status = pod.getStatus();
    return status.getContainerStatuses().stream()
        .filter(c -> c.getName().equals("pytorch"))
        .findFirst()
        .orElseThrow();
  }

  static boolean runs(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() == null
        && "Running".equals(pod.getStatus().getPhase())
        && pod.getStatus().getContainerStatuses() != null
        && !pod.getStatus().getContainerStatuses().isEmpty();
  }
}
