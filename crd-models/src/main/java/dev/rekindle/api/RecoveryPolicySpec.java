package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Limits and times. Whatever is absent takes the default named here.
 *
 * @param mode upper bound on what is done: {@code observe}, {@code approve}, {@code auto} (default)
 * @param maxRestarts restarts allowed for one job within {@code budgetWindowSeconds}, every attempt
 *     of every recovery counted; default 5
 * @param budgetWindowSeconds the time over which {@code maxRestarts} counts; default 3600
 * @param maxAttempts restarts tried within one recovery, never more than the budget has left;
 *     default 3
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
 * @param restart how gangs come back: {@code auto} (default) takes the faster way that is possible,
 *     {@code rebuild} never restarts in place, {@code inPlace} does wherever it is possible
 * @param freezeSeconds how long the agents may take to confirm that a gang is frozen before it is
 *     rebuilt instead, and a second more for every hundred pods; default 10
 * @param frozenSeconds how long survivors stay frozen for a replacement that finds no place before
 *     the gang is rebuilt instead; default 60
 * @param nodeConditions what conditions of nodes mean, beside the built-in rules; of the policy
 *     {@code default} alone
 * @param deviceResources resources of which a node that has less to give than it has is told as a
 *     fault; a name that ends or begins with {@code *} stands for all that fit; of the policy
 *     {@code default} alone
 * @param maxFencedPercent of the GPU nodes, in all and in each pool, that may carry our fence at
 *     one time, beside {@code maxFencedNodes}; a share of less than one node counts as one; absent
 *     for no such limit
 * @param poolLabel node label that names a node's pool, for {@code maxFencedPercent}; absent when
 *     all nodes are one pool
 * @param fenceScope which nodes are fenced for a fault of theirs: {@code jobNodes} (default), those
 *     that carry pods of a job that opted in; {@code gpuNodes}, every node with GPUs (asked of the
 *     policy {@code default})
 * @param burstSeconds a burst of records is weighed once it has been silent for so long, where its
 *     code alone does not fence (asked of the policy {@code default}); default 180
 * @param settleSeconds a node that was rebooted must be Ready for so long without its fault before
 *     it is released (asked of the policy {@code default}); default 300
 * @param lemons what is done about a node that was in trouble three times within 28 days: {@code
 *     tell} (default) marks it and places new gangs elsewhere first, {@code fence} keeps it fenced
 *     as well (asked of the policy {@code default})
 * @param namespaces namespaces whose jobs are under this policy as it stands; for jobs of all
 *     others that name it, it allows no more than the policy {@code default}: the lower mode, the
 *     smaller of both {@code maxRestarts}, {@code maxAttempts}, {@code maxFencedNodes} and {@code
 *     maxFencedPercent}, and the longer {@code budgetWindowSeconds}
 * @param maxFencedPerNamespace nodes that may be fenced within 24 hours where the programs of one
 *     namespace are all that speaks against them; what no program can cause is not counted (asked
 *     of the policy {@code default}); default 2
 * @param weighing how often a fault that does not fence alone must come (asked of the policy {@code
 *     default})
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(
    value =
        "(has(self.silentNodeSeconds) ? self.silentNodeSeconds : 30)"
            + " <= (has(self.stallSeconds) ? self.stallSeconds : 600)",
    message = "silentNodeSeconds (default 30) must not exceed stallSeconds (default 600)")
@ValidationRule(
    value =
        "(has(self.gracePeriodCapSeconds) ? self.gracePeriodCapSeconds : 5)"
            + " < (has(self.drainTimeoutSeconds) ? self.drainTimeoutSeconds : 120)",
    message = "gracePeriodCapSeconds (default 5) must be below drainTimeoutSeconds (default 120)")
public record RecoveryPolicySpec(
    @Nullable @Pattern("^(observe|approve|auto)$") String mode,
    @Nullable @Min(0) @Max(1000) Integer maxRestarts,
    @Nullable @Min(1) @Max(30 * Bounds.DAY) Integer budgetWindowSeconds,
    @Nullable @Min(1) @Max(100) Integer maxAttempts,
    @Nullable @Min(0) @Max(100000) Integer maxFencedNodes,
    @Nullable @Min(0) @Max(3600) Integer gracePeriodCapSeconds,
    @Nullable @Min(1) @Max(Bounds.DAY) Integer drainTimeoutSeconds,
    @Nullable @Min(1) @Max(7 * Bounds.DAY) Integer stallSeconds,
    @Nullable @Min(1) @Max(7 * Bounds.DAY) Integer silentNodeSeconds,
    @Nullable @Min(0) @Max(Bounds.DAY) Integer inPlaceSeconds,
    @Nullable @Min(1) @Max(7 * Bounds.DAY) Integer startSeconds,
    @Nullable @Min(0) @Max(Bounds.DAY) Integer inspectSeconds,
    @Nullable @Min(0) @Max(30 * Bounds.DAY) Integer failedJobSeconds,
    @Nullable @Min(0) @Max(Bounds.DAY) Integer stableSeconds,
    @Nullable @Size(max = 8) List<@Size(min = 1, max = 317) String> topologyKeys,
    @Nullable @Pattern("^(auto|rebuild|inPlace)$") String restart,
    @Nullable @Min(1) @Max(600) Integer freezeSeconds,
    @Nullable @Min(0) @Max(3600) Integer frozenSeconds,
    @Nullable @Size(max = 64) List<NodeConditionRule> nodeConditions,
    @Nullable @Size(max = 32) List<@Size(min = 1, max = 317) String> deviceResources,
    @Nullable @Min(1) @Max(100) Integer maxFencedPercent,
    @Nullable @Size(min = 1, max = 317) String poolLabel,
    @Nullable @Pattern("^(jobNodes|gpuNodes)$") String fenceScope,
    @Nullable @Min(0) @Max(3600) Integer burstSeconds,
    @Nullable @Min(0) @Max(Bounds.DAY) Integer settleSeconds,
    @Nullable @Pattern("^(tell|fence)$") String lemons,
    @Nullable @Size(max = 256) List<@Size(min = 1, max = 63) String> namespaces,
    @Nullable @Min(0) @Max(100000) Integer maxFencedPerNamespace,
    @Nullable Weighing weighing) {}
