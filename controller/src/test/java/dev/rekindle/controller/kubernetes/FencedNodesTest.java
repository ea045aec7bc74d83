package dev.rekindle.controller.kubernetes;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.fencing.FenceSlotAllocator.Stored;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.port.ClusterGateway.BreakerFullException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Nodes that are cordoned and released, and their places in the breaker. */
class FencedNodesTest extends GatewayFixture {
  private void node(String name) {
    node(name, null);
  }

  /** Stored, and shown by the watch as it is now. */
  private void node(String name, @Nullable Boolean unschedulable) {
    Node node =
        client
            .resource(
                new NodeBuilder()
                    .withNewMetadata()
                    .withName(name)
                    .endMetadata()
                    .withNewSpec()
                    .withUnschedulable(unschedulable)
                    .endSpec()
                    .build())
            .create();
    boolean cordoned = Boolean.TRUE.equals(unschedulable);
    state
        .flat()
        .nodeFeed()
        .present(
            name,
            node.getMetadata().getResourceVersion(),
            Given.node(name, NodeView.Readiness.READY, NOW, cordoned, "")
                .withUid(node.getMetadata().getUid()));
  }

  private String uidOf(String node) {
    return client.nodes().withName(node).get().getMetadata().getUid();
  }

  private @Nullable ConfigMap places() {
    return client.configMaps().inNamespace("rekindle-system").withName("rekindle-fences").get();
  }

  @Test
  void shouldTakeAPlaceInTheBreakerBeforeItCordonsAndGiveItBackAfterwards() {
    node("n1");
    node("n2");
    gateway.cordon("n1", "team/r1", "XID 79", FenceLimit.of(1));
    gateway.cordon("n1", "team/r1", "XID 79", FenceLimit.of(1));
    assertThat(requireNonNull(places()).getData())
        .containsOnly(Map.entry("n1", "team/r1@" + uidOf("n1") + " 2026-01-01T00:00:00Z"));
    assertThatThrownBy(() -> gateway.cordon("n2", "team/r2", "XID 79", FenceLimit.of(1)))
        .isInstanceOf(BreakerFullException.class)
        .hasMessageContaining("n1");
    assertThat(client.nodes().withName("n2").get().getSpec().getUnschedulable()).isNull();

    gateway.release("n1");
    assertThat(requireNonNull(places()).getData()).isNullOrEmpty();
    gateway.cordon("n2", "team/r2", "XID 79", FenceLimit.of(1));
    assertThat(client.nodes().withName("n2").get().getSpec().getUnschedulable()).isTrue();
  }

  @Test
  void shouldFreeThePlaceOfACordonThatNeverHappened() {
    node("n1");
    node("n2");
    client
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("rekindle-system")
                .withName("rekindle-fences")
                .endMetadata()
                .withData(Map.of("n2", "team/r2 " + NOW, "gone", "team/r3 " + NOW))
                .build())
        .create();
    now = NOW.plusSeconds(59);
    assertThatThrownBy(() -> gateway.cordon("n1", "team/r1", "XID 79", FenceLimit.of(2)))
        .isInstanceOf(BreakerFullException.class);
    now = NOW.plusSeconds(61);
    gateway.cordon("n1", "team/r1", "XID 79", FenceLimit.of(2));
    assertThat(requireNonNull(places()).getData()).containsOnlyKeys("n1");
  }

  @Test
  void shouldWriteThePlacesOnlyOverTheVersionThatWasRead() {
    FenceStore store =
        new FenceStore(
            client,
            new Circuits(() -> false).of("configmaps"),
            state.views(),
            "rekindle-system",
            _ -> Optional.empty());
    Stored none = store.read();
    assertThat(none).isEqualTo(new Stored("", Map.of()));
    Optional<Stored> created = store.write(none, Map.of("n1", "r1"));
    assertThat(created).contains(store.read());
    assertThat(store.write(none, Map.of("n2", "r2"))).as("created by somebody else").isEmpty();

    Stored first = created.orElseThrow();
    assertThat(store.write(first, Map.of("n1", "r1", "n3", "r3"))).contains(store.read());
    assertThat(store.write(first, Map.of("n2", "r2"))).as("changed by somebody else").isEmpty();
    assertThat(store.read().slots()).containsOnlyKeys("n1", "n3");

    Stored second = store.read();
    client.resource(requireNonNull(places())).delete();
    assertThat(store.write(second, Map.of("n2", "r2"))).as("deleted by somebody").isEmpty();
  }

  @Test
  void shouldFenceAndReleaseANode() {
    node("n1");
    gateway.cordon("n1", "team/r1", "XID 79", FenceLimit.of(3));
    gateway.cordon("n1", "team/r2", "again", FenceLimit.of(3));
    Node fenced = client.nodes().withName("n1").get();
    assertThat(fenced.getSpec().getUnschedulable()).isTrue();
    assertThat(fenced.getMetadata().getAnnotations())
        .containsEntry("rekindle.dev/fenced-by", "team/r1")
        .containsEntry("rekindle.dev/fence-reason", "XID 79")
        .containsEntry("rekindle.dev/fenced-at", "2026-01-01T00:00:00Z");
    gateway.release("n1");
    Node released = client.nodes().withName("n1").get();
    assertThat(released.getSpec().getUnschedulable()).isNull();
    assertThat(released.getMetadata().getAnnotations()).doesNotContainValue("team/r1");
  }

  @Test
  void shouldLeaveTheCordonOfAnotherUserAlone() {
    node("n1", true);
    gateway.cordon("n1", "team/r1", "XID 79", FenceLimit.of(3));
    gateway.release("n1");
    Node node = client.nodes().withName("n1").get();
    assertThat(node.getSpec().getUnschedulable()).isTrue();
    assertThat(node.getMetadata().getAnnotations()).isNullOrEmpty();
    assertThatThrownBy(() -> gateway.cordon("gone", "team/r1", "x", FenceLimit.of(3)))
        .isInstanceOf(StaleException.class);
    gateway.release("gone");
  }
}
