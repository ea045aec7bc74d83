package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Orders of two jobs that had one name after the other, against the mock API server. */
@EnableKubernetesMockClient(crud = true)
class OrderCallsTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final String ORDER = "mnist-r1-1";

  @SuppressWarnings("NullAway.Init") // set by the extension
  KubernetesClient client;

  @SuppressWarnings("NullAway.Init") // set before each test
  private OrderCalls calls;

  @SuppressWarnings("NullAway.Init") // set before each test
  private RecoveryView recovery;

  @BeforeEach
  void setUp() {
    calls = new OrderCalls(client, new Circuits(() -> false).of("restartorders"));
    Recovery stored = new Recovery();
    stored.setMetadata(new ObjectMetaBuilder().withNamespace("team").withName("mnist-r1").build());
    stored.setSpec(new RecoverySpec(JobRef.pyTorchJob("mnist", "later"), NOW, null));
    recovery = view(client.resource(stored).create().getMetadata().getUid());
    calls.give(view("of the earlier job"), ORDER, freeze("earlier"));
  }

  private static RecoveryView view(String uid) {
    return new RecoveryView(
        "team",
        "mnist-r1",
        uid,
        "1",
        new RecoverySpec(JobRef.pyTorchJob("mnist", "later"), NOW, null),
        null);
  }

  private static RestartOrderSpec freeze(String jobUid) {
    return new RestartOrderSpec(
        JobRef.pyTorchJob("mnist", jobUid), "mnist-r1", RestartInstruction.FREEZE, "", NOW);
  }

  private RestartOrder stored() {
    return client.resources(RestartOrder.class).inNamespace("team").withName(ORDER).get();
  }

  @Test
  void shouldReplaceALateOrderForAnEarlierJobOfTheName() {
    String before = stored().getMetadata().getUid();

    calls.give(recovery, ORDER, freeze("later"));

    assertThat(stored().getSpec().jobUid()).isEqualTo("later");
    assertThat(stored().getMetadata().getUid())
        .as("agents know an order by its UID")
        .isNotEqualTo(before);
    assertThat(stored().getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(o -> assertThat(o.getUid()).isEqualTo(recovery.uid()));
  }

  @Test
  void shouldReplaceNothingForARecoveryThatIsGone() {
    calls.give(recovery, ORDER, freeze("later"));

    assertThatThrownBy(() -> calls.give(view("of the earlier job"), ORDER, freeze("earlier")))
        .isInstanceOf(StaleException.class);
    assertThat(stored().getSpec().jobUid()).isEqualTo("later");
  }
}
