package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import org.jspecify.annotations.Nullable;

/**
 * The network of a gang before a fault, by what NCCL printed in its pods and by its steps.
 *
 * @param onRdma whether all ranks of all pods were seen to use RDMA
 * @param fewestDevices devices for RDMA of the rank with the fewest; 0 where they are not known
 * @param direct whether all data went from and to the memory of GPUs (GDRDMA)
 * @param secondsPerStep how long a step took; absent where too few were measured
 * @param attachedDevices NICs with a device for RDMA that Multus attached to the pod with the
 *     fewest, by annotation {@code network-status}; 0 where that is not known
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record FormerNetwork(
    boolean onRdma,
    @Min(0) @Max(Transport.MOST_DEVICES) int fewestDevices,
    boolean direct,
    @Nullable @Min(0) Double secondsPerStep,
    @Min(0) @Max(Transport.MOST_DEVICES) int attachedDevices) {
  /** One of which it is not known what was attached. */
  public FormerNetwork(
      boolean onRdma, int fewestDevices, boolean direct, @Nullable Double secondsPerStep) {
    this(onRdma, fewestDevices, direct, secondsPerStep, 0);
  }

  public FormerNetwork {
    fewestDevices = Math.clamp(fewestDevices, 0, Transport.MOST_DEVICES);
    secondsPerStep = Bounds.seconds(secondsPerStep);
    attachedDevices = Math.clamp(attachedDevices, 0, Transport.MOST_DEVICES);
  }
}
