package dev.rekindle.controller.model;

import dev.rekindle.api.NodeConditionRule;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.detect.weigh.Thresholds;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
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
    Duration silentNode,
    Duration inPlace,
    Duration start,
    Duration inspect,
    Duration failedJob,
    Duration stable,
    List<String> topologyKeys,
    RestartMode restart,
    Duration freeze,
    Duration frozen,
    List<NodeConditionRule> nodeConditions,
    List<String> deviceResources,
    @Nullable Integer maxFencedPercent,
    String poolLabel,
    FenceScope fenceScope,
    Thresholds thresholds,
    Duration settle,
    boolean fenceLemons,
    List<String> namespaces,
    int maxFencedPerNamespace)
    implements PolicyBuilder.With {

  /** GPUs of all vendors, slices of them, and RDMA devices. */
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
  public static final Policy DEFAULT = ofYaml("{}");

  public Policy {
    topologyKeys = List.copyOf(topologyKeys);
    nodeConditions = List.copyOf(nodeConditions);
    deviceResources = List.copyOf(deviceResources);
    namespaces = List.copyOf(namespaces);
  }

  /**
   * A policy as an operator writes it.
   *
   * @param yaml what stands under {@code spec}
   */
  public static Policy ofYaml(String yaml) {
    return of(Serialization.unmarshal(yaml, RecoveryPolicySpec.class));
  }

  /** Fills in the defaults. The API server has already refused what the schema forbids. */
  public static Policy of(RecoveryPolicySpec spec) {
    return new Policy(
        JobView.Mode.valueOf(
            Objects.requireNonNullElse(spec.mode(), "auto").toUpperCase(Locale.ROOT)),
        orElse(spec.maxRestarts(), 5),
        seconds(spec.budgetWindowSeconds(), 3600),
        orElse(spec.maxAttempts(), 3),
        orElse(spec.maxFencedNodes(), 3),
        seconds(spec.gracePeriodCapSeconds(), 5),
        seconds(spec.drainTimeoutSeconds(), 120),
        seconds(spec.stallSeconds(), 600),
        seconds(spec.silentNodeSeconds(), 30),
        seconds(spec.inPlaceSeconds(), 180),
        seconds(spec.startSeconds(), 1800),
        seconds(spec.inspectSeconds(), 30),
        seconds(spec.failedJobSeconds(), 600),
        seconds(spec.stableSeconds(), 30),
        Objects.requireNonNullElse(spec.topologyKeys(), List.of()),
        RestartMode.of(Objects.requireNonNullElse(spec.restart(), "")).orElse(RestartMode.AUTO),
        seconds(spec.freezeSeconds(), 10),
        seconds(spec.frozenSeconds(), 60),
        Objects.requireNonNullElse(spec.nodeConditions(), List.of()),
        Objects.requireNonNullElse(spec.deviceResources(), DEVICES),
        spec.maxFencedPercent(),
        Objects.requireNonNullElse(spec.poolLabel(), ""),
        "gpuNodes".equals(spec.fenceScope()) ? FenceScope.GPU_NODES : FenceScope.JOB_NODES,
        Thresholds.of(spec),
        seconds(spec.settleSeconds(), 300),
        "fence".equals(spec.lemons()),
        Objects.requireNonNullElse(spec.namespaces(), List.of()),
        orElse(spec.maxFencedPerNamespace(), 2));
  }

  /** A burst of records is over once it has been silent for so long. */
  public Duration burst() {
    return thresholds.silence();
  }

  /**
   * How long the agents of a gang of so many pods may take to confirm that it is frozen: a second
   * more for every hundred, as each node writes a report and all of them at once.
   */
  public Duration freeze(int pods) {
    return freeze.plusSeconds(pods / 100);
  }

  private static int orElse(@Nullable Integer value, int otherwise) {
    return value == null ? otherwise : value;
  }

  private static Duration seconds(@Nullable Integer value, int otherwise) {
    return Duration.ofSeconds(orElse(value, otherwise));
  }
}
