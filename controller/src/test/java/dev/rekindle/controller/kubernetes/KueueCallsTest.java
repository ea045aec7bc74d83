package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.JobKey;
import io.fabric8.kubernetes.api.model.APIGroupBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.kubeflow.v1.PyTorchJob;

/**
 * The stop of a ClusterQueue, and the order of two writes; Workloads are tested on the testbed,
 * with Kueue itself.
 */
class KueueCallsTest extends GatewayFixture {
  private static final String HELD_FOR = "rekindle.dev/held-for";
  private static final String VERSION = "kueue.x-k8s.io/v1beta1";

  @SuppressWarnings("NullAway.Init") // set by the extension
  KubernetesMockServer server;

  @BeforeEach
  void serveKueue() {
    server
        .expect()
        .get()
        .withPath("/apis/kueue.x-k8s.io")
        .andReturn(
            200,
            new APIGroupBuilder()
                .withName("kueue.x-k8s.io")
                .withNewPreferredVersion(VERSION, "v1beta1")
                .build())
        .always();
  }

  private void queue(String stopPolicy, Map<String, String> annotations) {
    GenericKubernetesResource queue =
        client
            .getKubernetesSerialization()
            .unmarshal(
                """
                apiVersion: %s
                kind: ClusterQueue
                metadata: {name: gpus}
                spec: {stopPolicy: %s}
                """
                    .formatted(VERSION, stopPolicy),
                GenericKubernetesResource.class);
    queue.getMetadata().setAnnotations(annotations);
    queues().resource(queue).create();
  }

  private MixedOperation<
          GenericKubernetesResource,
          GenericKubernetesResourceList,
          Resource<GenericKubernetesResource>>
      queues() {
    return kueue("clusterqueues", "ClusterQueue", false);
  }

  private MixedOperation<
          GenericKubernetesResource,
          GenericKubernetesResourceList,
          Resource<GenericKubernetesResource>>
      kueue(String plural, String kind, boolean namespaced) {
    return client.genericKubernetesResources(
        new ResourceDefinitionContext.Builder()
            .withGroup("kueue.x-k8s.io")
            .withVersion("v1beta1")
            .withPlural(plural)
            .withKind(kind)
            .withNamespaced(namespaced)
            .build());
  }

  private GenericKubernetesResource stored() {
    return queues().withName("gpus").get();
  }

  private String stopPolicy() {
    return stored().get("spec", "stopPolicy");
  }

  /** Kueue may start pods the moment that the Workload is active again. */
  @Test
  void shouldPatchTheTemplatesBeforeKueueMayStartTheJob() throws InterruptedException {
    String uid =
        client
            .resource(
                Serialization.unmarshal(
                    """
                    apiVersion: kubeflow.org/v1
                    kind: PyTorchJob
                    metadata:
                      {name: mnist, namespace: team, labels: {kueue.x-k8s.io/queue-name: gpus},
                       annotations: {rekindle.dev/recover: 'true'}}
                    spec:
                      runPolicy: {suspend: true}
                      pytorchReplicaSpecs:
                        Master: {template: {spec: {containers: [{name: pytorch, image: i}]}}}
                    """,
                    PyTorchJob.class))
            .create()
            .getMetadata()
            .getUid();
    GenericKubernetesResource workload =
        Serialization.unmarshal(
            """
            apiVersion: %s
            kind: Workload
            metadata:
              name: mnist-w
              namespace: team
              labels: {kueue.x-k8s.io/job-uid: %s}
              annotations: {rekindle.dev/suspended-by: r1}
              ownerReferences:
              - {apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: mnist, uid: %s,
                 controller: true}
            spec: {active: false}
            """
                .formatted(VERSION, uid, uid),
            GenericKubernetesResource.class);
    kueue("workloads", "Workload", true).inNamespace("team").resource(workload).create();

    gateway.resume(JOB, uid, KubernetesGatewayFixture.order("r1"));

    assertThat(patched()).containsExactly("pytorchjobs/mnist", "workloads/mnist-w");
  }

  /** What was patched, in order. */
  private List<String> patched() throws InterruptedException {
    List<String> paths = new ArrayList<>();
    for (int left = server.getRequestCount(); left > 0; left--) {
      RecordedRequest request = server.takeRequest();
      if ("PATCH".equals(request.getMethod())) {
        paths.add(
            String.valueOf(request.getPath())
                .replaceAll("\\?.*", "")
                .replaceAll(".*/namespaces/team/", ""));
      }
    }
    return paths;
  }

  @Test
  void shouldHoldAQueueAndLetItGoForTheSameJob() {
    queue("None", Map.of());

    gateway.holdQueue("gpus", JOB, "mnist-r1");

    assertThat(stopPolicy()).isEqualTo("Hold");
    assertThat(stored().getMetadata().getAnnotations())
        .containsEntry(HELD_FOR, "team/mnist/mnist-r1");

    gateway.releaseQueue("gpus", JOB);

    assertThat(stopPolicy()).isEqualTo("None");
  }

  @ParameterizedTest
  @CsvSource({"Hold", "HoldAndDrain"})
  void shouldLeaveAQueueAloneThatItsAdministratorHasStopped(String stopPolicy) {
    queue(stopPolicy, Map.of());

    gateway.holdQueue("gpus", JOB, "mnist-r1");
    gateway.releaseQueue("gpus", JOB);

    assertThat(stopPolicy()).isEqualTo(stopPolicy);
    assertThat(stored().getMetadata().getAnnotations()).isNullOrEmpty();
  }

  @Test
  void shouldLeaveAQueueAloneThatIsHeldForAnotherJob() {
    queue("Hold", Map.of(HELD_FOR, "team/other/other-r1"));

    gateway.holdQueue("gpus", JOB, "mnist-r1");
    gateway.releaseQueue("gpus", new JobKey("team", "oth"));

    assertThat(stopPolicy()).isEqualTo("Hold");
    assertThat(stored().getMetadata().getAnnotations())
        .containsExactly(Map.entry(HELD_FOR, "team/other/other-r1"));
  }
}
