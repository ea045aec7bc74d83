package dev.rekindle.detect.agent;

import dev.rekindle.detect.fault.Victim;
import dev.rekindle.detect.freeze.ContainerOfProcess;
import java.util.Collection;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** The training pod that a process belongs to. */
final class VictimFinder {
  private final ContainerOfProcess containers;
  private final Supplier<Collection<TrainingPod>> pods;

  VictimFinder(ContainerOfProcess containers, Supplier<Collection<TrainingPod>> pods) {
    this.containers = containers;
    this.pods = pods;
  }

  /** The pod; unknown where the process has ended or is no training. */
  Victim of(OptionalLong process) {
    if (process.isEmpty()) {
      return Victim.UNKNOWN;
    }
    var candidates = pods.get().stream().filter(pod -> !pod.container().id().isEmpty()).toList();
    return containers
        .find(process.getAsLong(), candidates.stream().map(pod -> pod.container().id()).toList())
        .flatMap(
            id -> candidates.stream().filter(pod -> pod.container().id().equals(id)).findFirst())
        .map(pod -> new Victim(pod.namespace(), pod.name(), pod.jobUid()))
        .orElse(Victim.UNKNOWN);
  }
}
