package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;

/**
 * Whether the policy could be used.
 *
 * @param conditions {@code Accepted}, False with a reason when the policy contradicts itself
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RecoveryPolicyStatus(@Size(max = Bounds.CONDITIONS) List<Condition> conditions) {
  public RecoveryPolicyStatus {
    conditions = Bounds.list(conditions, Bounds.CONDITIONS);
  }
}
