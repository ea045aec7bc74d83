package dev.rekindle.controller.cluster;

import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartOrderSpec;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/** Writes the orders that agents follow. */
final class OrderCalls {
  private final KubernetesClient client;
  private final ApiCalls api;

  OrderCalls(KubernetesClient client, ApiCalls api) {
    this.client = client;
    this.api = api;
  }

  void give(RecoveryView recovery, String name, RestartOrderSpec spec) {
    RestartOrder order = new RestartOrder();
    order.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(recovery.namespace())
            .withName(name)
            .addNewOwnerReference()
            .withApiVersion("rekindle.dev/v1alpha1")
            .withKind("Recovery")
            .withName(recovery.name())
            .withUid(recovery.uid())
            .endOwnerReference()
            .build());
    order.setSpec(spec);
    api.change(() -> createOrMoveOn(order));
  }

  private void createOrMoveOn(RestartOrder order) {
    RestartOrder there = api.answer(() -> client.resource(order).get());
    if (there == null) {
      // Created meanwhile, or by a call whose answer was lost: a conflict, and so looked at again.
      var _ = api.answer(() -> client.resource(order).create());
      return;
    }
    RestartOrderSpec has = there.getSpec();
    if (has.instruction().compareTo(order.getSpec().instruction()) >= 0) {
      return;
    }
    there.setSpec(order.getSpec());
    var _ = api.answer(() -> client.resource(there).update());
  }

  void withdraw(String namespace, String name) {
    var _ =
        api.find(
            () ->
                client
                    .resources(RestartOrder.class)
                    .inNamespace(namespace)
                    .withName(name)
                    .delete());
  }
}
