package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.controller.network.NetworkWish;
import dev.rekindle.controller.network.RequestedNetworks;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Spiderpool offers as the watches show it, and who is woken by it. */
class FlatStateOfNetworksTest extends FlatStateFixture {
  @BeforeEach
  void openARecovery() {
    feeds
        .recoveries()
        .present(
            object(
                Recovery.class,
                """
                metadata: {name: mnist-r1, namespace: team, resourceVersion: "1"}
                spec: {jobRef: {kind: PyTorchJob, name: mnist, uid: u1}}
                status: {phase: Held, attempt: 1}
                """));
    changed.clear();
  }

  private static GenericKubernetesResource pool(int version, int total, String allocated) {
    return object(
        GenericKubernetesResource.class,
        """
        apiVersion: spiderpool.spidernet.io/v2beta1
        kind: SpiderIPPool
        metadata: {name: leaf-a, resourceVersion: "%d"}
        status: {totalIPCount: %d, allocatedIPs: '%s'}
        """
            .formatted(version, total, allocated));
  }

  private static String given(int count) {
    StringBuilder json = new StringBuilder("{");
    for (int i = 0; i < count; i++) {
      json.append(i == 0 ? "" : ",")
          .append("\"10.0.0.%1$d\":{\"pod\":\"team/p%1$d\",\"podUid\":\"u%1$d\"}".formatted(i));
    }
    return json.append("}").toString();
  }

  @Test
  void shouldWakeWhoWaitsWhenAPoolGetsRoomAndNotWhenAnAddressIsTaken() {
    feeds.pools().present(pool(1, 2, given(1)));
    assertThat(changed).contains("job team/mnist");
    changed.clear();

    feeds.pools().present(pool(2, 2, given(2)));
    assertThat(changed).as("an address is taken").isEmpty();

    feeds.pools().present(pool(3, 3, given(2)));
    assertThat(changed).as("it grows").contains("job team/mnist");
    changed.clear();

    feeds.pools().present(pool(4, 3, given(1)));
    assertThat(changed).as("an address comes back").contains("job team/mnist");
  }

  @Test
  void shouldShowWhatANamespaceRequestsOnceItsGroupIsThere() {
    feeds.pools().present(pool(1, 2, "{}"));
    feeds
        .multusConfigs()
        .present(
            object(
                GenericKubernetesResource.class,
                """
                apiVersion: spiderpool.spidernet.io/v2beta1
                kind: SpiderMultusConfig
                metadata:
                  name: gpu1
                  namespace: spiderpool
                  resourceVersion: "2"
                  labels: {cni.spidernet.io/rdma-resource-inject: gpu-net}
                spec:
                  cniType: macvlan
                  macvlan: {master: [ens1], rdmaResourceName: rdma/r1, ippools: {ipv4: [leaf-a]}}
                """));
    feeds
        .namespaces()
        .present(
            object(
                GenericKubernetesResource.class,
                """
                apiVersion: v1
                kind: Namespace
                metadata:
                  name: team
                  resourceVersion: "3"
                  annotations: {cni.spidernet.io/rdma-resource-inject: gpu-net}
                """));
    feeds
        .webhooks()
        .present(
            object(
                GenericKubernetesResource.class,
                """
                apiVersion: admissionregistration.k8s.io/v1
                kind: MutatingWebhookConfiguration
                metadata: {name: spiderpool-controller, resourceVersion: "4"}
                webhooks: [{name: pods.spiderpool.spidernet.io}]
                """));

    assertThat(RequestedNetworks.of("team", NetworkWish.NONE, state.networks()).nics())
        .singleElement()
        .satisfies(nic -> assertThat(nic.resource()).isEqualTo("rdma/r1"));
  }

  @Test
  void shouldShowTheAddressesOfAPodUntilTheyAreGone() {
    GenericKubernetesResource endpoint =
        object(
            GenericKubernetesResource.class,
            """
            apiVersion: spiderpool.spidernet.io/v2beta1
            kind: SpiderEndpoint
            metadata: {name: mnist-worker-0, namespace: team, resourceVersion: "5"}
            status: {ownerControllerType: PyTorchJob, current: {uid: u7, ips: []}}
            """);
    feeds.endpoints().present(endpoint);

    assertThat(state.endpoint("team", "mnist-worker-0").orElseThrow().uid()).isEqualTo("u7");
    feeds.endpoints().gone(endpoint);
    assertThat(state.endpoint("team", "mnist-worker-0")).isEmpty();
  }
}
