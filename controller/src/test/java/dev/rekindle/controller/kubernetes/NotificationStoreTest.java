package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.notification.RecordStore.Stored;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(crud = true)
class NotificationStoreTest {
  @SuppressWarnings("NullAway.Init") // set by the extension
  KubernetesClient client;

  @SuppressWarnings("NullAway.Init") // set before each test
  private NotificationStore store;

  @BeforeEach
  void setUp() {
    store = new NotificationStore(client, new Circuits(() -> false), "rekindle-system");
  }

  @Test
  void shouldReadWhatItWroteAndCreateIt() {
    Stored none = store.read();
    assertThat(none).isEqualTo(new Stored("", Map.of()));

    Stored first = store.write(none, Map.of("webhook.ops", "uid a1")).orElseThrow();
    Stored second = store.write(first, Map.of("webhook.ops", "uid a1 b2")).orElseThrow();

    assertThat(store.read()).isEqualTo(second);
    assertThat(second.data()).isEqualTo(Map.of("webhook.ops", "uid a1 b2"));
    assertThat(
            client
                .configMaps()
                .inNamespace("rekindle-system")
                .withName("rekindle-notifications")
                .get())
        .isNotNull();
  }

  @Test
  void shouldWriteNothingOverWhatAnotherHasWritten() {
    Stored first = store.write(store.read(), Map.of("a", "1")).orElseThrow();
    var _ = store.write(first, Map.of("a", "2")).orElseThrow();

    assertThat(store.write(first, Map.of("a", "3"))).isEmpty();
    assertThat(store.write(new Stored("", Map.of()), Map.of("a", "4"))).isEmpty();
    assertThat(store.read().data()).isEqualTo(Map.of("a", "2"));
  }

  @Test
  void shouldStartOverWhereItWasDeleted() {
    Stored first = store.write(store.read(), Map.of("a", "1")).orElseThrow();
    client.configMaps().inNamespace("rekindle-system").withName("rekindle-notifications").delete();

    assertThat(store.write(first, Map.of("a", "2"))).isEmpty();
    assertThat(store.read()).isEqualTo(new Stored("", Map.of()));
  }
}
