package dev.rekindle.controller.model;

import static java.util.Objects.requireNonNullElse;

import dev.rekindle.api.DetectionPolicy;
import dev.rekindle.api.FencingPolicy;
import dev.rekindle.api.NodeConditionRule;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.RecoveryTimeouts;
import dev.rekindle.api.RestartBudget;
import dev.rekindle.api.RestartPolicy;
import dev.rekindle.api.SparePolicy;
import dev.rekindle.detect.policy.MaintenanceWindows;
import dev.rekindle.detect.weigh.Thresholds;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A RecoveryPolicy with the defaults filled in. The meaning and the default of each value stand at
 * {@link RecoveryPolicySpec}.
 */
@RecordBuilder
public record Policy(
    JobView.Mode mode,
    int maxRestarts,
    Duration budgetWindow,
    int maxAttempts,
    int maxFencedNodes,
    Duration gracePeriodCap,
    Duration drainTimeout,
    Duration stall,
    Duration minStall,
    Duration silentNode,
    Duration kubeletRestart,
    Duration start,
    Duration inspect,
    Duration revival,
    Duration readyStable,
    List<String> topologyKeys,
    RestartMode restart,
    Duration freeze,
    Duration replacement,
    List<NodeConditionRule> nodeConditions,
    List<String> deviceResources,
    @Nullable Integer maxFencedPercent,
    String poolLabel,
    FenceScope fenceScope,
    Thresholds thresholds,
    Duration rebootSettle,
    boolean fenceLemons,
    List<String> namespaces,
    int maxFencedPerNamespace,
    boolean paused,
    MaintenanceWindows maintenance,
    Duration approval,
    int maxSpares,
    int maxSparesPerNamespace)
    implements PolicyBuilder.With {

  /** {@link DetectionPolicy#DEVICES} as a list. */
  private static final List<String> DEVICES =
      List.of("*/gpu", "nvidia.com/*", "amd.com/*", "huawei.com/*", "metax-tech.com/*", "rdma/*");

  /** Which nodes are fenced for a fault of theirs. */
  public enum FenceScope {
    /** Those that carry pods of a job that opted in. */
    JOB_NODES,
    /** Every node with GPUs. */
    GPU_NODES
  }

  /** The policy of an object that sets nothing. */
  public static final Policy DEFAULT = of(RecoveryPolicySpec.NONE);

  public Policy {
    topologyKeys = List.copyOf(topologyKeys);
    nodeConditions = List.copyOf(nodeConditions);
    deviceResources = List.copyOf(deviceResources);
    namespaces = List.copyOf(namespaces);
  }

  /**
   * The policy of an object. The API server has already refused what the schema forbids, and filled
   * in the defaults; they are filled in here where there was no API server.
   */
  public static Policy of(RecoveryPolicySpec spec) {
    RestartBudget budget = requireNonNullElse(spec.budget(), RestartBudget.NONE);
    FencingPolicy fencing = requireNonNullElse(spec.fencing(), FencingPolicy.NONE);
    RestartPolicy restart = requireNonNullElse(spec.restart(), RestartPolicy.NONE);
    DetectionPolicy detection = requireNonNullElse(spec.detection(), DetectionPolicy.NONE);
    RecoveryTimeouts timeouts = requireNonNullElse(spec.timeouts(), RecoveryTimeouts.NONE);
    SparePolicy spares = requireNonNullElse(spec.spares(), SparePolicy.NONE);
    return new Policy(
        JobView.Mode.valueOf(
            requireNonNullElse(spec.mode(), RecoveryPolicySpec.AUTO).toUpperCase(Locale.ROOT)),
        requireNonNullElse(budget.maxRestarts(), RestartBudget.MAX_RESTARTS),
        seconds(budget.windowSeconds(), RestartBudget.WINDOW),
        requireNonNullElse(budget.maxAttempts(), RestartBudget.MAX_ATTEMPTS),
        requireNonNullElse(fencing.maxNodes(), FencingPolicy.MAX_NODES),
        seconds(timeouts.gracePeriodCapSeconds(), RecoveryTimeouts.GRACE_PERIOD_CAP),
        seconds(timeouts.drainSeconds(), RecoveryTimeouts.DRAIN),
        seconds(detection.stallSeconds(), DetectionPolicy.STALL),
        seconds(detection.minStallSeconds(), DetectionPolicy.MIN_STALL),
        seconds(detection.silentNodeSeconds(), DetectionPolicy.SILENT_NODE),
        seconds(detection.kubeletRestartSeconds(), DetectionPolicy.KUBELET_RESTART),
        seconds(timeouts.startSeconds(), RecoveryTimeouts.START),
        seconds(timeouts.inspectSeconds(), RecoveryTimeouts.INSPECT),
        seconds(timeouts.revivalSeconds(), RecoveryTimeouts.REVIVAL),
        seconds(timeouts.readyStableSeconds(), RecoveryTimeouts.READY_STABLE),
        requireNonNullElse(restart.topologyKeys(), List.of()),
        RestartMode.of(requireNonNullElse(restart.strategy(), RestartPolicy.AUTO))
            .orElse(RestartMode.AUTO),
        seconds(restart.freezeSeconds(), RestartPolicy.FREEZE),
        seconds(restart.replacementSeconds(), RestartPolicy.REPLACEMENT),
        requireNonNullElse(detection.nodeConditions(), List.of()),
        requireNonNullElse(detection.deviceResources(), DEVICES),
        fencing.maxPercent(),
        requireNonNullElse(fencing.poolLabel(), ""),
        FencingPolicy.GPU_NODES.equals(fencing.scope())
            ? FenceScope.GPU_NODES
            : FenceScope.JOB_NODES,
        Thresholds.of(detection),
        seconds(fencing.rebootSettleSeconds(), FencingPolicy.REBOOT_SETTLE),
        FencingPolicy.FENCE.equals(fencing.lemons()),
        requireNonNullElse(spec.namespaces(), List.of()),
        requireNonNullElse(fencing.maxNodesPerNamespace(), FencingPolicy.MAX_NODES_PER_NAMESPACE),
        Boolean.TRUE.equals(spec.paused()),
        MaintenanceWindows.of(spec.maintenance()),
        seconds(timeouts.approvalSeconds(), RecoveryTimeouts.APPROVAL),
        Math.clamp(
            requireNonNullElse(spares.maxPerJob(), SparePolicy.PER_JOB), 0, SparePolicy.MOST),
        requireNonNullElse(spares.maxPerNamespace(), SparePolicy.PER_NAMESPACE));
  }

  /** Records less than this apart are one incident. */
  public Duration incidentGap() {
    return thresholds.silence();
  }

  /**
   * How long the agents of a gang of so many pods may take to confirm that it is frozen: a second
   * more for every hundred, as each node writes a report and all of them at once.
   */
  public Duration freeze(int pods) {
    return freeze.plusSeconds(pods / 100);
  }

  private static Duration seconds(@Nullable Integer value, int otherwise) {
    return Duration.ofSeconds(requireNonNullElse(value, otherwise));
  }
}
