package dev.rekindle.controller.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.Policies;
import dev.rekindle.controller.model.PolicyAcceptance;
import dev.rekindle.controller.model.PolicyAcceptance.Reason;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AcceptanceRulesTest {
  static Stream<Arguments> policies() {
    return Stream.of(
        argumentSet(
            "the default",
            "default",
            "{}",
            "{}",
            true,
            Reason.ACCEPTED,
            "serves every job that names no other policy"),
        argumentSet(
            "the default itself is broken",
            "default",
            "{mode: never}",
            null,
            false,
            Reason.INVALID,
            "not used: mode is none of observe, approve, auto"),
        argumentSet(
            "no default",
            "gold",
            "{}",
            null,
            true,
            Reason.NO_DEFAULT,
            "there is no usable RecoveryPolicy default, so everything is only observed"),
        argumentSet(
            "stricter than the default",
            "gold",
            "{mode: approve, budget: {maxRestarts: 1}}",
            "{}",
            true,
            Reason.ACCEPTED,
            "serves the jobs that name it"),
        argumentSet(
            "laxer than the default",
            "gold",
            "{budget: {maxRestarts: 50, windowSeconds: 60}}",
            "{mode: observe}",
            true,
            Reason.LIMITED,
            "the policy default allows no more than mode observe, budget.maxRestarts 5,"
                + " budget.windowSeconds 3600, as spec.namespaces is empty"),
        argumentSet(
            "laxer, with namespaces of its own",
            "gold",
            "{namespaces: [a, b], fencing: {maxNodes: 9, maxPercent: 50}}",
            "{fencing: {maxPercent: 10}}",
            true,
            Reason.LIMITED,
            "in force in namespaces a, b; elsewhere the policy default allows no more"
                + " than fencing.maxNodes 3, fencing.maxPercent 10"),
        argumentSet(
            "paused",
            "default",
            "{paused: true}",
            "{paused: true}",
            true,
            Reason.PAUSED,
            "paused: no recovery of a job that was not stopped yet, and no fence, is begun"),
        argumentSet(
            "all are paused",
            "gold",
            "{namespaces: [a]}",
            "{paused: true}",
            true,
            Reason.PAUSED,
            "paused: no recovery of a job that was not stopped yet, and no fence, is begun; set by"
                + " the policy default"),
        argumentSet(
            "paused, and cannot be used",
            "gold",
            "{paused: true, mode: never}",
            "{}",
            false,
            Reason.INVALID,
            "not used: mode is none of observe, approve, auto"),
        argumentSet(
            "stricter, with namespaces of its own",
            "gold",
            "{namespaces: [a]}",
            "{}",
            true,
            Reason.ACCEPTED,
            "in force in namespaces a"));
  }

  @ParameterizedTest
  @MethodSource("policies")
  void shouldSayHowFarAPolicyHolds(
      String name,
      String spec,
      @Nullable String bound,
      boolean accepted,
      Reason reason,
      String message) {
    assertThat(
            AcceptanceRules.decide(
                name, Policies.spec(spec), Optional.ofNullable(bound).map(Policies::ofYaml)))
        .isEqualTo(new PolicyAcceptance(accepted, reason, message));
  }
}
