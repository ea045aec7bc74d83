package dev.rekindle.controller.kubernetes;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which pod of an inspector's Job speaks for it. Kubernetes makes another one where the first was
 * evicted, preempted or ended by its node; the former stays in the list.
 */
final class InspectorPods {
  private static final Comparator<Pod> CURRENT_FIRST =
      Comparator.comparing(InspectorPods::isOver)
          .thenComparing(
              pod -> String.valueOf(pod.getMetadata().getCreationTimestamp()),
              Comparator.reverseOrder());

  private InspectorPods() {}

  /** One that has not failed and is not being deleted, the newest of them; else the newest. */
  static Optional<Pod> current(List<Pod> pods) {
    return pods.stream().min(CURRENT_FIRST);
  }

  /** The same among those of one node. */
  static Optional<Pod> currentOn(String node, List<Pod> pods) {
    return current(pods.stream().filter(p -> node.equals(p.getSpec().getNodeName())).toList());
  }

  private static boolean isOver(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() != null
        || (pod.getStatus() != null && "Failed".equals(pod.getStatus().getPhase()));
  }
}
