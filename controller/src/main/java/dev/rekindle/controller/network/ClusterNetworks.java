package dev.rekindle.controller.network;

import java.util.List;

/**
 * What Spiderpool offers in the cluster, at one moment.
 *
 * @param pools all SpiderIPPools
 * @param configs all SpiderMultusConfigs
 * @param namespaces namespaces whose annotations say something of networks
 * @param webhooks Spiderpool's webhooks for pods; none where it injects nothing
 */
public record ClusterNetworks(
    List<PoolView> pools,
    List<MultusView> configs,
    List<NamespaceView> namespaces,
    List<WebhookView> webhooks) {
  /** Of a cluster without Spiderpool. */
  public static final ClusterNetworks NONE =
      new ClusterNetworks(List.of(), List.of(), List.of(), List.of());

  public ClusterNetworks {
    pools = List.copyOf(pools);
    configs = List.copyOf(configs);
    namespaces = List.copyOf(namespaces);
    webhooks = List.copyOf(webhooks);
  }

  /** Whether Spiderpool is there, as far as it is seen. */
  public boolean installed() {
    return !pools.isEmpty() || !configs.isEmpty();
  }

  /** What the namespace says of networks. */
  public NamespaceView namespace(String name) {
    return namespaces.stream()
        .filter(n -> n.name().equals(name))
        .findFirst()
        .orElseGet(() -> NamespaceView.plain(name));
  }
}
