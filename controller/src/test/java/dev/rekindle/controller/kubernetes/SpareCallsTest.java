package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.kubernetes.convert.JobReader;
import dev.rekindle.controller.kubernetes.convert.SparePod;
import dev.rekindle.controller.model.SpareOrder;
import dev.rekindle.controller.model.SpareWish;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A job of one master that requests a warm spare. */
class SpareCallsTest extends KubernetesGatewayFixture {
  @SuppressWarnings("NullAway.Init") // set by the extension
  private KubernetesMockServer server;

  private static final String ASKS = OPTED_IN + ", rekindle.dev/spares: '1'";

  private List<Pod> pods() {
    return client.pods().inNamespace("team").list().getItems();
  }

  private SpareOrder order() {
    SpareWish wish = JobReader.read(stored()).spares();
    return new SpareOrder(0, wish.replica(), wish.template(), List.of("n1"));
  }

  @Test
  void shouldMakeOneSpareOwnedByItsJobHoweverOftenItIsAsked() {
    String uid = job(ASKS, "false", "{}");

    gateway.addSpare(JOB, uid, order());
    gateway.addSpare(JOB, uid, order());

    assertThat(pods())
        .singleElement()
        .satisfies(
            pod -> {
              assertThat(pod.getMetadata().getName()).isEqualTo("mnist-spare-0");
              assertThat(pod.getMetadata().getOwnerReferences().getFirst().getUid()).isEqualTo(uid);
              assertThat(pod.getSpec().getContainers())
                  .extracting(c -> c.getImage())
                  .containsExactly("rekindle:1", "i");
            });
  }

  @Test
  void shouldMakeNoneFromATemplateThatIsAnotherOneByNow() {
    String uid = job(ASKS, "false", "{}");
    SpareOrder old = new SpareOrder(0, "Master", "former", List.of("n1"));

    assertThatThrownBy(() -> gateway.addSpare(JOB, uid, old)).isInstanceOf(StaleException.class);
    assertThatThrownBy(() -> gateway.addSpare(JOB, "another", order()))
        .isInstanceOf(StaleException.class);
    assertThat(pods()).isEmpty();
  }

  @Test
  void shouldTakeOverNoPodOfAnotherOwner() {
    String uid = job(ASKS, "false", "{}");
    gateway.addSpare(JOB, uid, order());
    client
        .pods()
        .inNamespace("team")
        .withName("mnist-spare-0")
        .edit(
            pod -> {
              pod.getMetadata().getOwnerReferences().getFirst().setUid("another");
              return pod;
            });

    assertThatThrownBy(() -> gateway.addSpare(JOB, uid, order()))
        .isInstanceOf(StaleException.class);
  }

  @Test
  void shouldSayWhereTheChartAllowsNone() {
    String uid = job(ASKS, "false", "{}");
    KubernetesGateway without =
        new KubernetesGateway(
            client,
            new Circuits(() -> false),
            state,
            new InspectorJob("rekindle:1", "Never"),
            new SparePod("rekindle:1", "Never", ""),
            "rekindle-system",
            "pod-0",
            Runnable::run,
            () -> now);

    assertThatThrownBy(() -> without.addSpare(JOB, uid, order()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("spares.enabled");
  }

  /** A kubelet may die of a pod that is removed without any. */
  @Test
  void shouldRemoveWithASecondOfGrace() throws InterruptedException {
    gateway.addSpare(JOB, job(ASKS, "false", "{}"), order());
    String uid =
        client.pods().inNamespace("team").withName("mnist-spare-0").get().getMetadata().getUid();

    gateway.removeSpare(JOB, "mnist-spare-0", uid);

    var request = server.getLastRequest();
    assertThat(request.getMethod()).isEqualTo("DELETE");
    assertThat(request.getBody().readUtf8()).contains("\"gracePeriodSeconds\":1,", uid);
  }
}
