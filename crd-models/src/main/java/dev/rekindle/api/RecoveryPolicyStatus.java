package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether the policy is used, and what it would have done.
 *
 * @param conditions {@code Accepted} with the generation that was judged: False when the policy has
 *     an unknown word or contradicts itself, and no part of it is used; True with the reason {@code
 *     LimitedByDefault} when the policy {@code default} allows less
 * @param scorecard what would have been done under mode {@code observe}; absent where nothing was
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RecoveryPolicyStatus(
    @Size(max = Bounds.CONDITIONS) List<Condition> conditions, @Nullable Scorecard scorecard) {
  public RecoveryPolicyStatus {
    conditions = Bounds.conditions(conditions);
  }
}
