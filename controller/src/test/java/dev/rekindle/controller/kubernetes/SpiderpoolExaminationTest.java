package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.network.Installation;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceListBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What doctor reads of Spiderpool, and what is left where a user may not. */
@EnableKubernetesMockClient
class SpiderpoolExaminationTest {
  private static final String GROUP = "/apis/spiderpool.spidernet.io/v2beta1/";
  private static final String WEBHOOKS =
      "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

  @SuppressWarnings("NullAway.Init") // set by the extension
  private KubernetesMockServer server;

  @SuppressWarnings("NullAway.Init") // set by the extension
  private KubernetesClient client;

  private void lists(String path, String yaml) {
    GenericKubernetesResourceList list = new GenericKubernetesResourceList();
    list.setItems(
        List.of(new KubernetesSerialization().unmarshal(yaml, GenericKubernetesResource.class)));
    server.expect().get().withPath(path).andReturn(200, list).always();
  }

  @Test
  void shouldReadPoolsWebhookAndVersion() {
    lists(GROUP + "spiderippools", "kind: SpiderIPPool\nmetadata: {name: leaf-a}");
    lists(
        WEBHOOKS,
        """
        kind: MutatingWebhookConfiguration
        metadata: {name: spiderpool-controller}
        webhooks:
        - name: pods.spiderpool.spidernet.io
          clientConfig: {service: {namespace: spiderpool, name: hook}}
        """);
    server
        .expect()
        .get()
        .withPath(
            "/apis/discovery.k8s.io/v1/namespaces/spiderpool/endpointslices"
                + "?labelSelector=kubernetes.io%2Fservice-name%3Dhook")
        .andReturn(
            200,
            new EndpointSliceListBuilder()
                .withItems(
                    new EndpointSliceBuilder()
                        .addNewEndpoint()
                        .withNodeName("node-1")
                        .withNewTargetRef()
                        .withName("hook-0")
                        .endTargetRef()
                        .endEndpoint()
                        .build())
                .build())
        .always();
    server
        .expect()
        .get()
        .withPath("/api/v1/namespaces/spiderpool/pods/hook-0")
        .andReturn(
            200,
            new PodBuilder()
                .withNewSpec()
                .addNewContainer()
                .withImage("registry:5000/spiderpool-controller:v1.0.3@sha256:0")
                .endContainer()
                .endSpec()
                .build())
        .always();

    Installation found = new SpiderpoolExamination(client).of("team");

    assertThat(found.networks().pools()).hasSize(1);
    assertThat(found.webhookNodes()).containsExactly("node-1");
    assertThat(found.version()).isEqualTo("1.0.3");
  }

  @Test
  void shouldFindNothingWhereNothingMayBeRead() {
    assertThat(new SpiderpoolExamination(client).of("team")).isEqualTo(Installation.NONE);
  }
}
