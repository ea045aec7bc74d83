package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
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
    api.change(() -> createOrMoveOn(order, recovery));
  }

  private void createOrMoveOn(RestartOrder order, RecoveryView recovery) {
    RestartOrder there = api.answer(() -> client.resource(order).get());
    if (there != null && there.getSpec().jobUid().equals(order.getSpec().jobUid())) {
      moveOn(there, order.getSpec());
      return;
    }
    if (there != null) {
      removeFormer(there, recovery);
    }
    // Created meanwhile, or by a call whose answer was lost: a conflict, and so read again.
    var _ = api.answer(() -> client.resource(order).create());
  }

  private void moveOn(RestartOrder there, RestartOrderSpec spec) {
    if (there.getSpec().instruction().compareTo(spec.instruction()) < 0) {
      there.setSpec(spec);
      var _ = api.answer(() -> client.resource(there).update());
    }
  }

  /**
   * An order for an earlier job of the name, whose call came late: its recovery went with its job,
   * so the names of both came again. A leader that still acts for that recovery removes nothing.
   */
  private void removeFormer(RestartOrder former, RecoveryView recovery) {
    Recovery now =
        api.answer(
            () ->
                client
                    .resources(Recovery.class)
                    .inNamespace(recovery.namespace())
                    .withName(recovery.name())
                    .get());
    if (now == null || !recovery.uid().equals(now.getMetadata().getUid())) {
      throw new StaleException("recovery " + recovery.name() + " is gone");
    }
    var _ = api.answer(() -> client.resource(former).lockResourceVersion().delete());
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
