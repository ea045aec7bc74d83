package dev.rekindle.api;

import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;

/**
 * Whether the policy could be used.
 *
 * @param conditions {@code Accepted}, False with a reason when the policy contradicts itself
 */
public record RecoveryPolicyStatus(List<Condition> conditions) {}
