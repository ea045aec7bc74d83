package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/**
 * How long the steps of a recovery may take.
 *
 * @param gracePeriodCapSeconds longest grace period for pods of a gang that is known to be dead
 * @param drainSeconds how long a drain may take before the recovery is held
 * @param inspectSeconds how long the checkpoint inspector may take after the drain
 * @param startSeconds how long a gang may take from its creation to its first step; then it is
 *     restarted again
 * @param readyStableSeconds how long a gang must stay Ready to count as recovered, if its steps are
 *     not seen
 * @param revivalSeconds a job that failed longer ago than this is left alone
 * @param approvalSeconds how long the approval of a recovery is valid if the recovery could not act
 *     yet; at least until the end of the next maintenance window. Then it is requested again
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(
    value =
        "(has(self.gracePeriodCapSeconds) ? self.gracePeriodCapSeconds : "
            + RecoveryTimeouts.GRACE_PERIOD_CAP
            + ") < (has(self.drainSeconds) ? self.drainSeconds : "
            + RecoveryTimeouts.DRAIN
            + ")",
    message = "gracePeriodCapSeconds must be below drainSeconds")
public record RecoveryTimeouts(
    @Nullable @Default("" + RecoveryTimeouts.GRACE_PERIOD_CAP) @Min(0) @Max(3600)
        Integer gracePeriodCapSeconds,
    @Nullable @Default("" + RecoveryTimeouts.DRAIN) @Min(1) @Max(Bounds.DAY) Integer drainSeconds,
    @Nullable @Default("" + RecoveryTimeouts.INSPECT) @Min(0) @Max(Bounds.DAY)
        Integer inspectSeconds,
    @Nullable @Default("" + RecoveryTimeouts.START) @Min(1) @Max(7 * Bounds.DAY)
        Integer startSeconds,
    @Nullable @Default("" + RecoveryTimeouts.READY_STABLE) @Min(0) @Max(Bounds.DAY)
        Integer readyStableSeconds,
    @Nullable @Default("" + RecoveryTimeouts.REVIVAL) @Min(0) @Max(30 * Bounds.DAY)
        Integer revivalSeconds,
    @Nullable @Default("" + RecoveryTimeouts.APPROVAL) @Min(60) @Max(30 * Bounds.DAY)
        Integer approvalSeconds) {
  /** The default of {@code gracePeriodCapSeconds}. */
  public static final int GRACE_PERIOD_CAP = 5;

  /** The default of {@code drainSeconds}. */
  public static final int DRAIN = 120;

  /** The default of {@code inspectSeconds}. */
  public static final int INSPECT = 30;

  /** The default of {@code startSeconds}. */
  public static final int START = 1800;

  /** The default of {@code readyStableSeconds}. */
  public static final int READY_STABLE = 30;

  /** The default of {@code revivalSeconds}. */
  public static final int REVIVAL = 600;

  /** The default of {@code approvalSeconds}. */
  public static final int APPROVAL = 86_400;

  /** One that sets nothing. */
  public static final RecoveryTimeouts NONE =
      new RecoveryTimeouts(null, null, null, null, null, null, null);
}
