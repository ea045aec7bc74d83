package dev.rekindle.controller.kubernetes;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.client.dsl.Listable;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The pods of one of our Jobs, and which of them speaks for it. Their label is open to each pod of
 * the namespace, so of each no more is kept than its name, node and status, which its owner cannot
 * write. Kubernetes makes another pod where the first was evicted, preempted or ended by its node;
 * the former stays in the list.
 */
final class InspectorPods {
  private static final Comparator<Pod> CURRENT_FIRST =
      Comparator.comparing(InspectorPods::isOver)
          .thenComparing(
              pod -> String.valueOf(pod.getMetadata().getCreationTimestamp()),
              Comparator.reverseOrder());

  private InspectorPods() {}

  static List<Pod> of(ApiCalls api, Listable<PodList> pods) {
    return PagedList.of(api, pods, pod -> Stream.of(kept(pod)));
  }

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

  private static Pod kept(Pod pod) {
    return new PodBuilder()
        .withMetadata(
            new ObjectMetaBuilder(pod.getMetadata())
                .withAnnotations(Map.of())
                .withManagedFields(List.of())
                .build())
        .withNewSpec()
        .withNodeName(pod.getSpec().getNodeName())
        .endSpec()
        .withStatus(pod.getStatus())
        .build();
  }
}
