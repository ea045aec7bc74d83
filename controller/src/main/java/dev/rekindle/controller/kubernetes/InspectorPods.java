package dev.rekindle.controller.kubernetes;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.client.dsl.Listable;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The pods of one of our Jobs. Their label is open to each pod of the namespace, so of each no more
 * is kept than its name, node and status, which its owner cannot write.
 */
final class InspectorPods {
  private InspectorPods() {}

  static List<Pod> of(ApiCalls api, Listable<PodList> pods) {
    return PagedList.of(api, pods, pod -> Stream.of(kept(pod)));
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
