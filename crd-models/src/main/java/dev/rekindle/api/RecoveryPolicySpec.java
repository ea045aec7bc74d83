package dev.rekindle.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Limits and times. Whatever is absent takes the default named here.
 *
 * @param mode upper bound on what is done: {@code observe}, {@code approve}, {@code auto} (default)
 * @param maxRestarts recoveries allowed for one job within {@code budgetWindowSeconds}; default 5
 * @param budgetWindowSeconds default 3600
 * @param maxAttempts restarts tried within one recovery; default 3
 * @param maxFencedNodes nodes that may carry our fence at one time, cluster-wide (the breaker);
 *     default 3
 * @param gracePeriodCapSeconds most seconds that a pod of a dead gang gets to end; default 5
 * @param drainTimeoutSeconds how long a drain may take before the recovery is held; default 120
 * @param stallSeconds steps standing this long while all pods run count as a stall; default 600
 * @param silentNodeSeconds steps standing this long while a node of the gang is silent; default 30
 * @param inPlaceSeconds how long the kubelet's own restart of containers may take to bring steps
 *     back; default 180
 * @param startSeconds how long a gang may take from creation to its first step before it is tried
 *     again; default 1800
 * @param inspectSeconds how long the checkpoint inspector may take beyond the drain; default 30
 * @param failedJobSeconds a job that failed longer ago than this is left alone; default 600
 * @param stableSeconds how long a gang must stay Ready to count as recovered where no steps can be
 *     seen; default 30
 * @param topologyKeys node labels that tell network distance, nearest first
 */
public record RecoveryPolicySpec(
    @Nullable String mode,
    @Nullable Integer maxRestarts,
    @Nullable Integer budgetWindowSeconds,
    @Nullable Integer maxAttempts,
    @Nullable Integer maxFencedNodes,
    @Nullable Integer gracePeriodCapSeconds,
    @Nullable Integer drainTimeoutSeconds,
    @Nullable Integer stallSeconds,
    @Nullable Integer silentNodeSeconds,
    @Nullable Integer inPlaceSeconds,
    @Nullable Integer startSeconds,
    @Nullable Integer inspectSeconds,
    @Nullable Integer failedJobSeconds,
    @Nullable Integer stableSeconds,
    @Nullable List<String> topologyKeys) {}
