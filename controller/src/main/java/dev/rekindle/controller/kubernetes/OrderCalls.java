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
    ApiCalls calls = api.in(recovery.namespace());
    calls.change(() -> createOrMoveOn(calls, order, recovery));
  }

  private void createOrMoveOn(ApiCalls calls, RestartOrder order, RecoveryView recovery) {
    RestartOrder there = calls.answer(() -> client.resource(order).get());
    if (there != null && there.getSpec().jobUid().equals(order.getSpec().jobUid())) {
      moveOn(calls, there, order.getSpec());
      return;
    }
    if (there != null) {
      removeFormer(calls, there, recovery);
    }
    // Created meanwhile, or by a call whose answer was lost: a conflict, and so read again.
    var _ = calls.answer(() -> client.resource(order).create());
  }

  private void moveOn(ApiCalls calls, RestartOrder there, RestartOrderSpec spec) {
    if (there.getSpec().instruction().compareTo(spec.instruction()) < 0) {
      there.setSpec(spec);
      var _ = calls.answer(() -> client.resource(there).update());
    }
  }

  /**
   * An order for an earlier job of the name, whose call came late: its recovery went with its job,
   * so the names of both came again. A leader that still acts for that recovery removes nothing.
   */
  private void removeFormer(ApiCalls calls, RestartOrder former, RecoveryView recovery) {
    Recovery now =
        calls.answer(
            () ->
                client
                    .resources(Recovery.class)
                    .inNamespace(recovery.namespace())
                    .withName(recovery.name())
                    .get());
    if (now == null || !recovery.uid().equals(now.getMetadata().getUid())) {
      throw new StaleException("recovery " + recovery.name() + " is gone");
    }
    var _ = calls.answer(() -> client.resource(former).lockResourceVersion().delete());
  }

  void withdraw(String namespace, String name) {
    var _ =
        api.in(namespace)
            .find(
                () ->
                    client
                        .resources(RestartOrder.class)
                        .inNamespace(namespace)
                        .withName(name)
                        .delete());
  }
}
