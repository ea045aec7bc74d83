package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.port.ClusterGateway.StaleException;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A ConfigMap of our own namespace that only the leader writes. RBAC names each of them. */
final class OwnConfigMap {
  private final KubernetesClient client;
  private final ApiCalls api;
  private final String namespace;
  private final String name;

  /**
   * What it holds.
   *
   * @param version resource version; empty where it is not there
   */
  record Content(String version, Map<String, String> data) {}

  OwnConfigMap(KubernetesClient client, ApiCalls api, String namespace, String name) {
    this.client = client;
    this.api = api;
    this.namespace = namespace;
    this.name = name;
  }

  Content read() {
    return api.find(() -> client.configMaps().inNamespace(namespace).withName(name).get())
        .map(OwnConfigMap::content)
        .orElse(new Content("", Map.of()));
  }

  /** Replaces the version; empty where there is another one by now. */
  Optional<Content> write(String version, Map<String, String> data) {
    ConfigMap next =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withNamespace(namespace)
            .withName(name)
            .withResourceVersion(version.isEmpty() ? null : version)
            .addToLabels("app.kubernetes.io/managed-by", "rekindle-controller")
            .endMetadata()
            .withData(data)
            .build();
    try {
      if (version.isEmpty()) {
        return Optional.of(content(api.call(() -> client.resource(next).create())));
      }
      // Nothing to find: somebody deleted it meanwhile.
      return api.find(() -> client.resource(next).update()).map(OwnConfigMap::content);
    } catch (StaleException otherVersion) {
      return Optional.empty();
    }
  }

  private static Content content(ConfigMap map) {
    return new Content(
        map.getMetadata().getResourceVersion(),
        Objects.requireNonNullElse(map.getData(), Map.of()));
  }
}
