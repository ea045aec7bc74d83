package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a job saves, by the valid checkpoints that one scan has found. Times are modification times,
 * by the clock of their storage.
 *
 * @param checkpoints how many valid ones there are
 * @param oldestStep step of the oldest
 * @param newestStep step of the newest
 * @param newestTime when the newest was written
 * @param stepsApart the most steps between two of them; absent where there is one
 * @param secondsApart the median time between the newest six; absent where there are not two
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Saves(
    @Min(0) @Max(Integer.MAX_VALUE) int checkpoints,
    @Min(0) long oldestStep,
    @Min(0) long newestStep,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant newestTime,
    @Nullable @Min(0) Long stepsApart,
    @Nullable @Min(0) Double secondsApart) {
  public Saves {
    checkpoints = Math.max(0, checkpoints);
  }

  /** How many times between two of them were seen. */
  public int intervals() {
    return Math.max(0, checkpoints - 1);
  }
}
