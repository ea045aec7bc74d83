package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.network.EndpointView;
import dev.rekindle.controller.network.MultusView;
import dev.rekindle.controller.network.PoolView;
import dev.rekindle.controller.network.WebhookView;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects of Spiderpool 1.2.1 as they stood on a cluster. */
class SpiderpoolReaderTest {
  static GenericKubernetesResource object(String yaml) {
    return new KubernetesSerialization()
        .unmarshal(
            "apiVersion: spiderpool.spidernet.io/v2beta1\nkind: Any\n" + yaml,
            GenericKubernetesResource.class);
  }

  static PoolView pool(String yaml) {
    return SpiderpoolReader.pool(object("metadata: {name: leaf-a}\n" + yaml)).orElseThrow();
  }

  @Test
  void shouldReadAMacvlanConfig() {
    assertThat(
            SpiderpoolReader.config(
                object(
                    """
                    metadata:
                      name: gpu1
                      namespace: spiderpool
                      labels: {cni.spidernet.io/rdma-resource-inject: gpu-net}
                    spec:
                      cniType: macvlan
                      macvlan:
                        master: [ens841np0]
                        rdmaResourceName: spidernet.io/shared_cx5_gpu1
                        ippools: {ipv4: [gpu1-leaf-a, gpu1-leaf-b]}
                    """)))
        .contains(
            new MultusView(
                "spiderpool/gpu1",
                "gpu-net",
                "",
                "macvlan",
                "ens841np0",
                "spidernet.io/shared_cx5_gpu1",
                List.of("gpu1-leaf-a", "gpu1-leaf-b"),
                List.of(),
                false));
  }

  @ParameterizedTest
  @CsvSource({"sriov, sriov, spidernet.io/r1", "ib-sriov, ibsriov, ''"})
  void shouldReadResourcesOfVirtualFunctions(String type, String field, String order) {
    MultusView config =
        SpiderpoolReader.config(
                object(
                    """
                    metadata: {name: r1, namespace: spiderpool}
                    spec:
                      cniType: %s
                      %s: {resourceName: spidernet.io/r1, ippools: {ipv4: [rail1]}}
                    """
                        .formatted(type, field)))
            .orElseThrow();

    assertThat(config.resource()).isEqualTo("spidernet.io/r1");
    assertThat(config.ipv4()).containsExactly("rail1");
    assertThat(config.order()).isEqualTo(order);
  }

  @Test
  void shouldReadAnEndpointOfAJob() {
    assertThat(
            SpiderpoolReader.endpoint(
                object(
                    """
                    metadata: {name: j1-worker-0, namespace: train}
                    status:
                      ownerControllerType: PyTorchJob
                      ownerControllerName: j1
                      current:
                        uid: 39a3
                        node: node-0
                        ips:
                        - {interface: net1, ipv4: 10.250.1.10/24, ipv4Pool: leaf-a, vlan: 0}
                    """)))
        .contains(
            new EndpointView(
                "train",
                "j1-worker-0",
                "39a3",
                "node-0",
                "j1",
                List.of(new EndpointView.Attached("net1", "10.250.1.10/24", "leaf-a", "", ""))));
    assertThat(
            SpiderpoolReader.endpoint(
                object("metadata: {name: web}\nstatus: {ownerControllerType: Pod}")))
        .isEmpty();
  }

  @Test
  void shouldKeepOnlyNamespacesThatSaySomething() {
    var namespace =
        SpiderpoolReader.namespace(
                object(
                    """
                    metadata:
                      name: train
                      annotations:
                        cni.spidernet.io/rdma-resource-inject: gpu-net
                        ipam.spidernet.io/default-ipv4-ippool: '["office"]'
                    """))
            .orElseThrow();

    assertThat(namespace.rdmaGroup()).isEqualTo("gpu-net");
    assertThat(namespace.ipv4()).containsExactly("office");
    assertThat(SpiderpoolReader.namespace(object("metadata: {name: other}"))).isEmpty();
  }

  @Test
  void shouldFindTheWebhookForPods() {
    assertThat(
            SpiderpoolReader.webhook(
                object(
                    """
                    metadata: {name: spiderpool-controller}
                    webhooks:
                    - {name: spiderippool.spiderpool.spidernet.io}
                    - name: pods.spiderpool.spidernet.io
                      failurePolicy: Fail
                      clientConfig: {service: {namespace: spiderpool, name: spiderpool-controller}}
                    """)))
        .contains(
            new WebhookView("spiderpool-controller", true, "spiderpool/spiderpool-controller"));
    assertThat(SpiderpoolReader.webhook(object("metadata: {name: other}\nwebhooks: []"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"spec: 7", "spec: []\nstatus: x", "status: {current: [1]}", "webhooks: 1"})
  void shouldReadAnythingWithoutThrowing(String yaml) {
    var object = object("metadata: {name: odd}\n" + yaml);

    assertThat(SpiderpoolReader.pool(object)).isPresent();
    assertThat(SpiderpoolReader.config(object)).isPresent();
    assertThat(SpiderpoolReader.endpoint(object)).isEmpty();
    assertThat(SpiderpoolReader.namespace(object)).isEmpty();
    assertThat(SpiderpoolReader.webhook(object)).isEmpty();
    assertThat(Set.of(SpiderpoolReader.pool(object).orElseThrow().closed())).containsOnly(false);
  }
}
