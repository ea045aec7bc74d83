package dev.rekindle.controller.policy;

import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.PolicyAcceptance;
import dev.rekindle.controller.model.PolicyAcceptance.Reason;
import dev.rekindle.controller.model.PolicyProblems;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides what the condition {@code Accepted} of a policy says: whether it can be used, and where
 * the policy {@code default} allows less than it requests. Pure.
 */
final class AcceptanceRules {
  private static final String PAUSED =
      "paused: no recovery of a job that was not stopped yet, and no fence, is begun";

  private AcceptanceRules() {}

  /**
   * Decides for one policy.
   *
   * @param name its name
   * @param spec what it requests
   * @param bound the policy {@code default}, if there is one that can be used
   */
  static PolicyAcceptance decide(String name, RecoveryPolicySpec spec, Optional<Policy> bound) {
    List<String> problems = PolicyProblems.of(spec);
    if (!problems.isEmpty()) {
      return new PolicyAcceptance(
          false, Reason.INVALID, "not used: " + String.join("; ", problems));
    }
    if (Boolean.TRUE.equals(spec.paused())) {
      return new PolicyAcceptance(true, Reason.PAUSED, PAUSED);
    }
    if (name.equals(RuledJob.DEFAULT)) {
      return accepted("serves every job that names no other policy");
    }
    if (bound.isEmpty()) {
      return new PolicyAcceptance(
          true,
          Reason.NO_DEFAULT,
          "there is no usable RecoveryPolicy default, so everything is only observed");
    }
    if (bound.get().paused()) {
      return new PolicyAcceptance(true, Reason.PAUSED, PAUSED + "; set by the policy default");
    }
    Policy policy = Policy.of(spec);
    String where =
        policy.namespaces().isEmpty()
            ? ""
            : "in force in namespaces " + String.join(", ", policy.namespaces());
    List<String> lowered = lowered(policy, bound.orElseThrow());
    if (lowered.isEmpty()) {
      return accepted(where.isEmpty() ? "serves the jobs that name it" : where);
    }
    return new PolicyAcceptance(
        true,
        Reason.LIMITED,
        "%sthe policy default allows no more than %s%s"
            .formatted(
                where.isEmpty() ? "" : where + "; elsewhere ",
                String.join(", ", lowered),
                where.isEmpty() ? ", as spec.namespaces is empty" : ""));
  }

  private static PolicyAcceptance accepted(String message) {
    return new PolicyAcceptance(true, Reason.ACCEPTED, message);
  }

  /** What {@link EffectivePolicy} makes smaller, as field and value in force. */
  private static List<String> lowered(Policy policy, Policy bound) {
    Policy held = EffectivePolicy.within(policy, bound);
    List<String> lowered = new ArrayList<>();
    differing(lowered, "mode", policy.mode(), held.mode());
    differing(lowered, "budget.maxRestarts", policy.maxRestarts(), held.maxRestarts());
    differing(
        lowered,
        "budget.windowSeconds",
        policy.budgetWindow().toSeconds(),
        held.budgetWindow().toSeconds());
    differing(lowered, "budget.maxAttempts", policy.maxAttempts(), held.maxAttempts());
    differing(lowered, "fencing.maxNodes", policy.maxFencedNodes(), held.maxFencedNodes());
    differing(lowered, "fencing.maxPercent", policy.maxFencedPercent(), held.maxFencedPercent());
    differing(lowered, "spares.maxPerJob", policy.maxSpares(), held.maxSpares());
    differing(
        lowered,
        "spares.maxPerNamespace",
        policy.maxSparesPerNamespace(),
        held.maxSparesPerNamespace());
    return lowered;
  }

  private static void differing(
      List<String> to, String field, @Nullable Object asked, @Nullable Object held) {
    if (held != null && !held.equals(asked)) {
      to.add(field + " " + held.toString().toLowerCase(Locale.ROOT));
    }
  }
}
