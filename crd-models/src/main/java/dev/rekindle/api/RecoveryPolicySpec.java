package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is done, how often, and within which limits and times. The API server fills in the defaults,
 * so that {@code kubectl get recoverypolicy -o yaml} shows the policy in force.
 *
 * @param mode upper bound on what is done: {@code observe}, {@code approve}, {@code auto}
 * @param namespaces namespaces in which this policy applies without limits. To jobs of all other
 *     namespaces it allows no more than the policy {@code default}: the lower mode, the smaller of
 *     both {@code budget.maxRestarts}, {@code budget.maxAttempts}, {@code fencing.maxNodes}, {@code
 *     fencing.maxPercent}, {@code spares.maxPerJob} and {@code spares.maxPerNamespace}, and the
 *     longer {@code budget.windowSeconds}
 * @param budget how often a job is restarted
 * @param fencing which nodes are fenced, and how many at one time
 * @param restart how a gang comes back
 * @param detection when something counts as a failure
 * @param timeouts how long the steps of a recovery may take
 * @param paused if true, no new recovery stops a job and no node is fenced; recoveries that have
 *     begun are finished, and fences are lifted. A pause of the policy {@code default} applies to
 *     all jobs
 * @param maintenance when a gang that still trains may be stopped
 * @param cost what a GPU costs
 * @param spares how many warm spares jobs may have
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RecoveryPolicySpec(
    @Nullable @Default(RecoveryPolicySpec.AUTO) @Pattern("^(observe|approve|auto)$") String mode,
    @Nullable @Size(max = 256) List<@Size(min = 1, max = 63) String> namespaces,
    @Nullable RestartBudget budget,
    @Nullable FencingPolicy fencing,
    @Nullable RestartPolicy restart,
    @Nullable DetectionPolicy detection,
    @Nullable RecoveryTimeouts timeouts,
    @Nullable Boolean paused,
    @Nullable MaintenancePolicy maintenance,
    @Nullable CostPolicy cost,
    @Nullable SparePolicy spares) {
  /** The default of {@code mode}. */
  public static final String AUTO = "auto";

  /** One that sets nothing. */
  public static final RecoveryPolicySpec NONE =
      new RecoveryPolicySpec(null, null, null, null, null, null, null, null, null, null, null);
}
