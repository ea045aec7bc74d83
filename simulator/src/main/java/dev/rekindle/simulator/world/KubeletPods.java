package dev.rekindle.simulator.world;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Pods as a kubelet reads and writes them, and the processes of their containers. */
final class KubeletPods {
  private final World world;

  KubeletPods(World world) {
    this.world = world;
  }

  /** The pod as the API server has it; null where it is gone. */
  @Nullable PodObject current(PodObject pod) {
    return world
        .pods()
        .find(pod.meta().key())
        .filter(p -> p.meta().uid().equals(pod.meta().uid()))
        .orElse(null);
  }

  void setStatus(PodObject pod, PodObject.Status status) {
    world.pods().patch(pod.meta().key(), p -> p.with(status));
  }

  /** Confirms that nothing of the pod is left. */
  void remove(PodObject pod) {
    world.pods().delete(pod.meta().key(), pod.meta().uid(), Duration.ZERO);
  }

  private Gang gang(PodObject pod) {
    return world.gangs().get(pod.job(), pod.meta().owner());
  }

  /** The process of its container; null where none runs. */
  @Nullable RankProcess process(PodObject pod) {
    return gang(pod).processes().find(pod.meta().uid());
  }

  boolean hasProcess(PodObject pod) {
    return process(pod) != null;
  }

  boolean isFrozen(PodObject pod) {
    RankProcess process = process(pod);
    return process != null && process.frozen;
  }

  void startProcess(PodObject pod, Machine machine) {
    gang(pod).start(pod, machine);
  }

  void endProcess(PodObject pod) {
    RankProcess process = process(pod);
    if (process != null) {
      gang(pod).end(process);
    }
  }
}
