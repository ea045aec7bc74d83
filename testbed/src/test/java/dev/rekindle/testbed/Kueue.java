package dev.rekindle.testbed;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A real Kueue beside the cluster, with one queue that has quota for so many pods. */
final class Kueue {
  private static final String API = "kueue.x-k8s.io/v1beta2";
  private static final String CLUSTER_QUEUE = "gangs";

  /** The LocalQueue. */
  static final String QUEUE = "gangs";

  /** The first time it is built. */
  private static final Duration UP = Duration.ofMinutes(15);

  private final KubernetesClient client;

  private Kueue(KubernetesClient client) {
    this.client = client;
  }

  /** Starts it, and controllers of ours that find it there; gone after the test. */
  static Kueue start(Scene scene, int pods) {
    scene.onCleanUp(() -> Testbed.command(UP, "testbed", "up", "--bare", "--without", "kueue"));
    Testbed.command(UP, "testbed", "up", "--bare", "--with", "kueue");
    Kueue kueue = new Kueue(scene.client());
    String yaml =
        """
        apiVersion: %1$s
        kind: ResourceFlavor
        metadata: {name: any}
        ---
        apiVersion: %1$s
        kind: ClusterQueue
        metadata: {name: %2$s}
        spec:
          namespaceSelector: {}
          resourceGroups:
          - coveredResources: [pods]
            flavors:
            - name: any
              resources: [{name: pods, nominalQuota: %3$d}]
        ---
        apiVersion: %1$s
        kind: LocalQueue
        metadata: {name: %4$s, namespace: %5$s}
        spec: {clusterQueue: %2$s}
        """
            .formatted(API, CLUSTER_QUEUE, pods, QUEUE, Testbed.NAMESPACE);
    // Its webhooks answer a moment after it says it is ready.
    Await.until("the queues", Duration.ofMinutes(2), () -> kueue.apply(yaml));
    scene.controller().renew();
    return kueue;
  }

  private boolean apply(String yaml) {
    try {
      client
          .load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
          .serverSideApply();
      return true;
    } catch (io.fabric8.kubernetes.client.KubernetesClientException notYet) {
      return false;
    }
  }

  /** The Workload of a job. */
  GenericKubernetesResource workload(TrainingJob job) {
    return Await.value(
        "the Workload of " + job.name(),
        Duration.ofMinutes(2),
        () ->
            workloads().stream()
                .filter(
                    w ->
                        w.getMetadata().getOwnerReferences().stream()
                            .anyMatch(o -> o.getUid().equals(job.uid())))
                .findFirst());
  }

  private List<GenericKubernetesResource> workloads() {
    return client
        .genericKubernetesResources(API, "Workload")
        .inNamespace(Testbed.NAMESPACE)
        .list()
        .getItems();
  }

  boolean admitted(TrainingJob job) {
    List<?> conditions =
        Optional.ofNullable(workload(job).<List<?>>get("status", "conditions")).orElse(List.of());
    return conditions.stream()
        .filter(c -> c instanceof java.util.Map<?, ?>)
        .map(c -> (java.util.Map<?, ?>) c)
        .anyMatch(c -> "Admitted".equals(c.get("type")) && "True".equals(c.get("status")));
  }

  GenericKubernetesResource queue() {
    return client.genericKubernetesResources(API, "ClusterQueue").withName(CLUSTER_QUEUE).get();
  }
}
