package dev.rekindle.controller.policy;

import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.port.PolicyGateway;
import dev.rekindle.controller.runtime.Reconciler;
import java.time.Duration;
import java.util.Optional;

/**
 * Keeps the condition {@code Accepted} of each RecoveryPolicy true. Keys are names of policies; one
 * is reconciled when its spec or that of the policy {@code default} changes.
 */
public final class PolicyReconciler implements Reconciler<String> {
  private final ClusterState state;
  private final PolicyGateway gateway;

  /** Takes what it reads the policy {@code default} from, and what it writes through. */
  public PolicyReconciler(ClusterState state, PolicyGateway gateway) {
    this.state = state;
    this.gateway = gateway;
  }

  @Override
  public Optional<Duration> reconcile(String name) {
    gateway.accept(
        name, spec -> AcceptanceRules.decide(name, spec, state.policy(RuledJob.DEFAULT)));
    return Optional.empty();
  }
}
