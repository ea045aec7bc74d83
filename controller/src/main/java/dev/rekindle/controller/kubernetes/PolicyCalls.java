package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RecoveryPolicyStatus;
import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.cache.FlatState;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Writes the scorecards of policies. */
final class PolicyCalls {
  private final KubernetesClient client;
  private final ApiCalls api;
  private final FlatState state;

  PolicyCalls(KubernetesClient client, ApiCalls api, FlatState state) {
    this.client = client;
    this.api = api;
    this.state = state;
  }

  void score(String name, UnaryOperator<Scorecard> change) {
    api.change(() -> tryScore(name, change));
  }

  private void tryScore(String name, UnaryOperator<Scorecard> change) {
    Optional<RecoveryPolicy> found =
        api.find(() -> client.resources(RecoveryPolicy.class).withName(name).get());
    if (found.isEmpty()) {
      // Deleted meanwhile: there is nowhere to write.
      return;
    }
    RecoveryPolicy policy = found.get();
    Scorecard before = Views.scorecard(policy);
    Scorecard after = change.apply(before);
    if (after.equals(before)) {
      return;
    }
    RecoveryPolicyStatus status = policy.getStatus();
    policy.setStatus(
        new RecoveryPolicyStatus(status == null ? List.of() : status.conditions(), after));
    RecoveryPolicy stored = api.answer(() -> client.resource(policy).updateStatus());
    state
        .scorecardFeed()
        .present(name, stored.getMetadata().getResourceVersion(), Views.scorecard(stored));
  }
}
