package dev.rekindle.controller.port;

import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.controller.model.PolicyAcceptance;
import java.util.function.Function;

/** Writes what the controller thinks of a RecoveryPolicy. */
@FunctionalInterface
public interface PolicyGateway {
  /**
   * Sets the condition {@code Accepted} of the policy, with the generation of the spec that was
   * judged. Does nothing where it says so already, and where the policy is gone.
   *
   * @param policy its name
   * @param judge a pure function of the newest spec; may be asked more than once
   */
  void accept(String policy, Function<RecoveryPolicySpec, PolicyAcceptance> judge);
}
