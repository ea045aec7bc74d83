package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.model.Annotations;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.Map;

/** Writes PodGroups of the scheduler plugin Coscheduling. */
final class PodGroupCalls {
  private static final ResourceDefinitionContext POD_GROUPS =
      new ResourceDefinitionContext.Builder()
          .withGroup("scheduling.x-k8s.io")
          .withVersion("v1alpha1")
          .withKind("PodGroup")
          .withPlural("podgroups")
          .withNamespaced(true)
          .build();

  private final KubernetesClient client;
  private final ApiCalls api;

  PodGroupCalls(KubernetesClient client, ApiCalls api) {
    this.client = client;
    this.api = api;
  }

  /** One that is gone was made for a job that is suspended by now. */
  void requeue(String namespace, String name, String mark) {
    String patch =
        client
            .getKubernetesSerialization()
            .asJson(Map.of("metadata", Map.of("annotations", Map.of(Annotations.REQUEUE, mark))));
    var _ =
        api.in(namespace)
            .find(
                () ->
                    client
                        .genericKubernetesResources(POD_GROUPS)
                        .inNamespace(namespace)
                        .withName(name)
                        .patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }
}
