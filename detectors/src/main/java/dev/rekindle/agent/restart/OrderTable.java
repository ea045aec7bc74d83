package dev.rekindle.agent.restart;

import dev.rekindle.api.RestartOrder;
import dev.rekindle.detect.restart.Order;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.Closeable;
import java.util.Collection;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All RestartOrders of the cluster, by a watch: there is one for each recovery under way. */
public final class OrderTable implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(OrderTable.class);
  private final SharedIndexInformer<RestartOrder> informer;

  /**
   * Starts to watch; a watch that fails is logged and tried again by the client.
   *
   * @param changed called after every change, by the thread of the watch
   */
  public OrderTable(KubernetesClient client, Runnable changed) {
    informer = client.resources(RestartOrder.class).inAnyNamespace().runnableInformer(0);
    informer.exceptionHandler(
        (started, error) -> {
          LOG.atWarn()
              .addKeyValue(LogKey.ERROR.key(), error.toString())
              .log("Cannot watch RestartOrders; retrying");
          return true;
        });
    informer.addEventHandler(new Changes(changed));
    var _ = informer.start();
  }

  /** The orders there are now. */
  public Collection<Order> all() {
    return informer.getStore().list().stream().map(Order::of).flatMap(Optional::stream).toList();
  }

  /** Whether the orders were listed once. */
  public boolean isSynced() {
    return informer.hasSynced();
  }

  @Override
  public void close() {
    informer.close();
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
