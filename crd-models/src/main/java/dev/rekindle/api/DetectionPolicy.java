package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When something counts as a failure. Of {@code incidentGapSeconds}, {@code nodeConditions}, {@code
 * deviceResources} and {@code weighing} those of the policy {@code default} hold.
 *
 * @param stallSeconds a job counts as stalled if it makes no step for this long while all its pods
 *     run; used while it is not known how long its steps and pauses take
 * @param minStallSeconds the shortest stall threshold that is learnt from the steps of a job; if it
 *     equals {@code stallSeconds}, nothing is learnt
 * @param silentNodeSeconds a silent node of a gang counts as lost if the gang makes no step for
 *     this long
 * @param kubeletRestartSeconds how long the kubelet's own restart of containers may take until
 *     steps are made again
 * @param incidentGapSeconds records of a fault that are less than this apart are one incident. If
 *     the code alone does not fence, the incident is weighed once no record came for this long
 * @param nodeConditions what conditions of nodes mean; rules for a type replace the built-in ones
 * @param deviceResources resources of which a node has a fault if fewer are allocatable than its
 *     capacity; a {@code *} at the end or the beginning of a name matches anything
 * @param weighing how often a fault must recur to fence, if its code alone does not fence
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(
    value =
        "(has(self.silentNodeSeconds) ? self.silentNodeSeconds : "
            + DetectionPolicy.SILENT_NODE
            + ") <= (has(self.stallSeconds) ? self.stallSeconds : "
            + DetectionPolicy.STALL
            + ")",
    message = "silentNodeSeconds must not exceed stallSeconds")
public record DetectionPolicy(
    @Nullable @Default("" + DetectionPolicy.STALL) @Min(1) @Max(7 * Bounds.DAY)
        Integer stallSeconds,
    @Nullable @Default("" + DetectionPolicy.MIN_STALL) @Min(1) @Max(7 * Bounds.DAY)
        Integer minStallSeconds,
    @Nullable @Default("" + DetectionPolicy.SILENT_NODE) @Min(1) @Max(7 * Bounds.DAY)
        Integer silentNodeSeconds,
    @Nullable @Default("" + DetectionPolicy.KUBELET_RESTART) @Min(0) @Max(Bounds.DAY)
        Integer kubeletRestartSeconds,
    @Nullable @Default("" + DetectionPolicy.INCIDENT_GAP) @Min(0) @Max(3600)
        Integer incidentGapSeconds,
    @Nullable @Size(max = 64) List<NodeConditionRule> nodeConditions,
    @Nullable @Default(DetectionPolicy.DEVICES) @Size(max = 32)
        List<@Size(min = 1, max = 317) String> deviceResources,
    @Nullable Weighing weighing) {
  /** The default of {@code stallSeconds}. */
  public static final int STALL = 600;

  /** The default of {@code minStallSeconds}. */
  public static final int MIN_STALL = 30;

  /** The default of {@code silentNodeSeconds}. */
  public static final int SILENT_NODE = 30;

  /** The default of {@code kubeletRestartSeconds}. */
  public static final int KUBELET_RESTART = 180;

  /** The default of {@code incidentGapSeconds}. */
  public static final int INCIDENT_GAP = 180;

  /**
   * The default of {@code deviceResources}, as JSON: GPUs of all vendors, slices of them, and RDMA
   * devices.
   */
  public static final String DEVICES =
      "[\"*/gpu\", \"nvidia.com/*\", \"amd.com/*\", \"huawei.com/*\", \"metax-tech.com/*\","
          + " \"rdma/*\"]";

  /** One that sets nothing. */
  public static final DetectionPolicy NONE =
      new DetectionPolicy(null, null, null, null, null, null, null, null);
}
