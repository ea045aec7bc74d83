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
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record FormerNetwork(
    boolean onRdma,
    @Min(0) @Max(Transport.MOST_DEVICES) int fewestDevices,
    boolean direct,
    @Nullable @Min(0) Double secondsPerStep) {
  public FormerNetwork {
    fewestDevices = Math.clamp(fewestDevices, 0, Transport.MOST_DEVICES);
    secondsPerStep = Bounds.seconds(secondsPerStep);
  }
}
