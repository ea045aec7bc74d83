package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.notification.RecordStore;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.Optional;

/** What webhooks were notified of, in a ConfigMap of our own namespace. */
public final class NotificationStore implements RecordStore {
  /** The one object; RBAC names it as well. */
  static final String NAME = "rekindle-notifications";

  private final OwnConfigMap map;

  /**
   * @param namespace our own
   */
  public NotificationStore(KubernetesClient client, Circuits circuits, String namespace) {
    // Calls of its own kind: what fails here stops no fence.
    map = new OwnConfigMap(client, circuits.of("notifications"), namespace, NAME);
  }

  @Override
  public Stored read() {
    OwnConfigMap.Content content = map.read();
    return new Stored(content.version(), content.data());
  }

  @Override
  public Optional<Stored> write(Stored before, Map<String, String> data) {
    return map.write(before.version(), data).map(c -> new Stored(c.version(), c.data()));
  }
}
