package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Min;

/**
 * What a failure has cost, in GPU-seconds of the gang: 0 for a job that requests no GPU.
 *
 * @param detection from the last step until the failure was known
 * @param restart from then until the first new step
 * @param repeated steps that are trained twice, where it is known how long one takes
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record LostGpuSeconds(
    @Min(0) double detection, @Min(0) double restart, @Min(0) double repeated) {
  /** All of it. */
  public double total() {
    return detection + restart + repeated;
  }
}
