package dev.rekindle.controller.recovery;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;

/**
 * Withdraws RestartOrders, so that agents thaw what is still frozen. An order outlives its recovery
 * if a leader dies between its last two calls.
 */
final class OrderWithdrawal {
  private final ClusterState state;
  private final ClusterGateway gateway;
  private final Effects effects;

  OrderWithdrawal(ClusterState state, ClusterGateway gateway, Effects effects) {
    this.state = state;
    this.gateway = gateway;
    this.effects = effects;
  }

  /**
   * Withdraws the orders of the job, but for those of the given recovery.
   *
   * @param open the open recovery, or {@link Effects#NO_RECOVERY}
   */
  void withdrawAllBut(JobKey key, String open) {
    for (OrderView order : state.orders(key)) {
      if (!order.spec().recovery().equals(open)) {
        var _ =
            effects.ask(
                key,
                open,
                CallKind.WITHDRAW,
                () -> {
                  gateway.withdraw(key, order.name());
                  return order;
                });
      }
    }
  }
}
