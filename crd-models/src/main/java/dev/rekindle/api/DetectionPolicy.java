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
 * @param stallSeconds steps standing this long while all pods run count as a stall, where it is not
 *     known how long the steps and pauses of the job take
 * @param minStallSeconds the shortest threshold where it is known; as long as {@code stallSeconds},
 *     nothing is learnt
 * @param silentNodeSeconds steps standing this long while a node of the gang is silent
 * @param kubeletRestartSeconds how long the kubelet's own restart of containers may take to bring
 *     steps back
 * @param incidentGapSeconds records of a fault less than this apart are one incident, which is
 *     weighed once it has been silent for so long, where its code alone does not fence
 * @param nodeConditions what conditions of nodes mean, beside the built-in rules
 * @param deviceResources resources whose allocatable below capacity is a fault of the node; a name
 *     that ends or begins with {@code *} stands for all that fit
 * @param weighing how often a fault that does not fence alone must come
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
