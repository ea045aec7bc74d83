package dev.rekindle.detect.pod;

import dev.rekindle.detect.ApiTime;
import dev.rekindle.detect.pod.ContainerFacts.Ended;
import dev.rekindle.detect.pod.ContainerFacts.Waiting;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes from a Pod object what its failure is judged by. Any part may be absent. */
public final class PodFactsReader {
  private PodFactsReader() {}

  /** The facts of a pod; a part that is absent or unreadable is empty. */
  public static PodFacts read(Pod pod) {
    var status = pod.getStatus() == null ? new PodStatus() : pod.getStatus();
    var containers = new ArrayList<ContainerFacts>();
    for (var one : orEmpty(status.getContainerStatuses())) {
      containers.add(container(one));
    }
    for (var one : orEmpty(status.getInitContainerStatuses())) {
      containers.add(container(one));
    }
    return new PodFacts(
        orEmpty(status.getPhase()),
        orEmpty(status.getReason()),
        orEmpty(status.getMessage()),
        deletionAsked(pod),
        condition(status, "DisruptionTarget", "True"),
        condition(status, "PodScheduled", "False"),
        List.copyOf(containers));
  }

  /** The deletion time stamp is when the grace period ends: it counts from the request. */
  private static @Nullable Instant deletionAsked(Pod pod) {
    var metadata = pod.getMetadata();
    var end = metadata == null ? null : ApiTime.parse(metadata.getDeletionTimestamp());
    if (end == null) {
      return null;
    }
    var grace = metadata.getDeletionGracePeriodSeconds();
    return grace == null ? end : end.minusSeconds(grace);
  }

  private static Optional<PodFacts.Why> condition(PodStatus status, String type, String value) {
    for (PodCondition condition : orEmpty(status.getConditions())) {
      if (type.equals(condition.getType()) && value.equals(condition.getStatus())) {
        return Optional.of(
            new PodFacts.Why(
                orEmpty(condition.getReason()),
                orEmpty(condition.getMessage()),
                ApiTime.parse(condition.getLastTransitionTime())));
      }
    }
    return Optional.empty();
  }

  private static ContainerFacts container(ContainerStatus status) {
    var state = status.getState();
    var last = status.getLastState();
    var waiting = state == null ? null : state.getWaiting();
    return new ContainerFacts(
        orEmpty(status.getName()),
        status.getRestartCount() == null ? 0 : status.getRestartCount(),
        state != null && state.getRunning() != null,
        waiting == null
            ? Optional.empty()
            : Optional.of(new Waiting(orEmpty(waiting.getReason()), orEmpty(waiting.getMessage()))),
        ended(state == null ? null : state.getTerminated()),
        ended(last == null ? null : last.getTerminated()));
  }

  private static Optional<Ended> ended(@Nullable ContainerStateTerminated state) {
    if (state == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Ended(
            state.getExitCode() == null ? 0 : state.getExitCode(),
            state.getSignal() == null ? 0 : state.getSignal(),
            orEmpty(state.getReason()),
            orEmpty(state.getMessage()),
            ApiTime.parse(state.getFinishedAt())));
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }
}
