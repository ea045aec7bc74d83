package dev.rekindle.agent.restart;

import dev.rekindle.agent.watch.NamespacedInformers;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.WatchedNamespaces;
import dev.rekindle.detect.restart.Order;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.io.Closeable;
import java.util.Collection;
import java.util.Optional;

/** All RestartOrders that concern us, by a watch: there is one for each recovery under way. */
public final class OrderTable implements Closeable {
  private final NamespacedInformers<RestartOrder> informers;

  /**
   * Starts to watch.
   *
   * @param namespaces where
   * @param changed called after every change, by the thread of the watch
   * @param clock by which the watch is found to be dead
   */
  public OrderTable(
      KubernetesClient client, WatchedNamespaces namespaces, Runnable changed, SteadyClock clock) {
    var all = client.resources(RestartOrder.class);
    informers =
        new NamespacedInformers<>(
            client,
            "restartorders.rekindle.dev",
            namespaces,
            namespace -> namespace.isEmpty() ? all.inAnyNamespace() : all.inNamespace(namespace),
            () -> new BasicItemStore<>(Cache::metaNamespaceKeyFunc),
            new Changes(changed),
            clock);
  }

  /** The orders there are now. */
  public Collection<Order> all() {
    return informers.all().map(Order::of).flatMap(Optional::stream).toList();
  }

  /** Replaces a dead watch. */
  public void listen() {
    informers.listen();
  }

  /** Whether the orders were listed once. */
  public boolean isSynced() {
    return informers.isSynced();
  }

  @Override
  public void close() {
    informers.close();
  }

  private record Changes(Runnable changed) implements ResourceEventHandler<RestartOrder> {
    @Override
    public void onAdd(RestartOrder order) {
      changed.run();
    }

    @Override
    public void onUpdate(RestartOrder before, RestartOrder order) {
      changed.run();
    }

    @Override
    public void onDelete(RestartOrder order, boolean unknownFinalState) {
      changed.run();
    }
  }
}
