package dev.rekindle.testbed.fidelity;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** GPUs that a node of the testbed claims to have. */
final class NodeGpus {
  static final String GPU = "nvidia.com/gpu";

  /** Comes and goes with the GPUs of a node, and is requested by one pod only. */
  private static final String KNOWN = "fidelity.rekindle.dev/known";

  private final KubernetesClient client;
  private final String node;

  NodeGpus(KubernetesClient client, String node) {
    this.client = client;
    this.node = node;
  }

  /** Adds so many to the node, and waits until the scheduler has seen them. */
  void add(int gpus) {
    capacity("add", gpus);
    awaitKnownToTheScheduler();
  }

  /** Takes all of them off the node. */
  void remove() {
    capacity("remove", 0);
  }

  private void capacity(String operation, int gpus) {
    List<Map<String, Object>> patch = new ArrayList<>();
    for (String resource : List.of(GPU, KNOWN)) {
      for (String where : List.of("capacity", "allocatable")) {
        patch.add(
            Map.of(
                "op",
                operation,
                "path",
                "/status/" + where + "/" + resource.replace("/", "~1"),
                "value",
                Integer.toString(gpus)));
      }
    }
    client
        .nodes()
        .withName(node)
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON), client.getKubernetesSerialization().asJson(patch));
  }

  /** A pod of a scenario that comes before that is Unschedulable first, and in memory it is not. */
  private void awaitKnownToTheScheduler() {
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace("default")
            .withName("known-" + node)
            .endMetadata()
            .withNewSpec()
            .addToNodeSelector("kubernetes.io/hostname", node)
            .withAutomountServiceAccountToken(false)
            .addNewContainer()
            .withName("none")
            .withImage("localhost/none:none")
            .withImagePullPolicy("Never")
            .withNewResources()
            .addToLimits(KNOWN, new Quantity("1"))
            .endResources()
            .endContainer()
            .endSpec()
            .build();
    client.resource(pod).create();
    try {
      client
          .resource(pod)
          .waitUntilCondition(
              now -> now != null && now.getSpec().getNodeName() != null, 60, TimeUnit.SECONDS);
    } finally {
      client.resource(pod).withGracePeriod(0).delete();
    }
  }
}
