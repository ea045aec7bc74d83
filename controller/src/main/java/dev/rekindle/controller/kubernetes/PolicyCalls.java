package dev.rekindle.controller.kubernetes;

import static java.util.Objects.requireNonNullElse;

import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.RecoveryPolicyStatus;
import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.PolicyAcceptance;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the statuses of policies: scorecards, and whether they are accepted. */
final class PolicyCalls {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyCalls.class);
  private static final String ACCEPTED = "Accepted";

  private final KubernetesClient client;
  private final ApiCalls api;
  private final FlatState state;
  private final InstantSource clock;

  PolicyCalls(KubernetesClient client, ApiCalls api, FlatState state, InstantSource clock) {
    this.client = client;
    this.api = api;
    this.state = state;
    this.clock = clock;
  }

  void score(String name, UnaryOperator<Scorecard> change) {
    api.change(() -> tryScore(name, change));
  }

  private void tryScore(String name, UnaryOperator<Scorecard> change) {
    Optional<RecoveryPolicy> found = find(name);
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

  void accept(String name, Function<RecoveryPolicySpec, PolicyAcceptance> judge) {
    api.change(() -> tryAccept(name, judge));
  }

  private void tryAccept(String name, Function<RecoveryPolicySpec, PolicyAcceptance> judge) {
    Optional<RecoveryPolicy> found = find(name);
    if (found.isEmpty()) {
      return;
    }
    RecoveryPolicy policy = found.get();
    RecoveryPolicyStatus status =
        requireNonNullElse(policy.getStatus(), new RecoveryPolicyStatus(List.of(), null));
    Optional<Condition> before =
        status.conditions().stream().filter(c -> ACCEPTED.equals(c.getType())).findFirst();
    Condition after =
        condition(
            judge.apply(requireNonNullElse(policy.getSpec(), RecoveryPolicySpec.NONE)),
            policy.getMetadata().getGeneration(),
            before);
    // As it is stored: a long message is cut.
    RecoveryPolicyStatus next =
        new RecoveryPolicyStatus(
            Stream.concat(
                    status.conditions().stream().filter(c -> !ACCEPTED.equals(c.getType())),
                    Stream.of(after))
                .toList(),
            status.scorecard());
    if (before.filter(next.conditions().getLast()::equals).isPresent()) {
      return;
    }
    policy.setStatus(next);
    var _ = api.answer(() -> client.resource(policy).updateStatus());
    LOG.atInfo()
        .addKeyValue(LogKey.POLICY.key(), name)
        .addKeyValue(LogKey.ACCEPTED.key(), after.getStatus())
        .addKeyValue(LogKey.REASON.key(), after.getReason())
        .log("Policy judged");
  }

  private Condition condition(
      PolicyAcceptance judged, Long generation, Optional<Condition> before) {
    String status = judged.accepted() ? "True" : "False";
    return new ConditionBuilder()
        .withType(ACCEPTED)
        .withStatus(status)
        .withReason(judged.reason().word())
        .withMessage(judged.message())
        .withObservedGeneration(generation)
        .withLastTransitionTime(
            before
                .filter(b -> status.equals(b.getStatus()))
                .map(Condition::getLastTransitionTime)
                .orElseGet(() -> clock.instant().truncatedTo(ChronoUnit.SECONDS).toString()))
        .build();
  }

  private Optional<RecoveryPolicy> find(String name) {
    return api.find(() -> client.resources(RecoveryPolicy.class).withName(name).get());
  }
}
