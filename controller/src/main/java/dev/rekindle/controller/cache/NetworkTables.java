package dev.rekindle.controller.cache;

import dev.rekindle.controller.network.ClusterNetworks;
import dev.rekindle.controller.network.EndpointView;
import dev.rekindle.controller.network.MultusView;
import dev.rekindle.controller.network.NamespaceView;
import dev.rekindle.controller.network.PoolView;
import dev.rekindle.controller.network.WebhookView;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Views of what Spiderpool offers. Only changes that may let a waiting recovery continue are
 * reported: a gang of a thousand pods changes each pool a thousand times while it starts.
 */
public final class NetworkTables {
  private final Runnable changed;
  private final Table<PoolView> pools = new Table<>();
  private final Table<MultusView> configs = new Table<>();
  private final Table<NamespaceView> namespaces = new Table<>();
  private final Table<WebhookView> webhooks = new Table<>();
  private final Table<EndpointView> endpoints = new Table<>();

  NetworkTables(Runnable changed) {
    this.changed = changed;
  }

  /** Everything as it is known now. */
  ClusterNetworks now() {
    return new ClusterNetworks(pools.all(), configs.all(), namespaces.all(), webhooks.all());
  }

  Optional<EndpointView> endpoint(String namespace, String pod) {
    return endpoints.get(namespace + "/" + pod);
  }

  /** SpiderIPPools. */
  public ViewFeed<PoolView> poolFeed() {
    return new ViewFeed<>() {
      @Override
      public void present(String key, @Nullable String resourceVersion, PoolView view) {
        Table.Write<PoolView> write = pools.put(key, resourceVersion, view);
        if (write.applied() && offersMore(write.previous(), view)) {
          changed.run();
        }
      }

      @Override
      public void gone(String key, @Nullable String resourceVersion) {
        pools.remove(key, resourceVersion);
      }
    };
  }

  private static boolean offersMore(@Nullable PoolView before, PoolView now) {
    return before == null
        || before.free(List.of()).orElse(0) < now.free(List.of()).orElse(Long.MAX_VALUE)
        || !before
            .withTotal(null)
            .withBookings(null)
            .equals(now.withTotal(null).withBookings(null));
  }

  /** SpiderMultusConfigs. */
  public ViewFeed<MultusView> configFeed() {
    return new TableFeed<>(configs, _ -> changed.run());
  }

  /** Namespaces with annotations on networks. */
  public ViewFeed<NamespaceView> namespaceFeed() {
    return new TableFeed<>(namespaces, _ -> changed.run());
  }

  /** Spiderpool's webhooks for pods. */
  public ViewFeed<WebhookView> webhookFeed() {
    return new TableFeed<>(webhooks, _ -> changed.run());
  }

  /** SpiderEndpoints of pods of PyTorchJobs; one that appears lets the proof of RDMA go on. */
  public ViewFeed<EndpointView> endpointFeed() {
    return new TableFeed<>(endpoints, _ -> {});
  }
}
