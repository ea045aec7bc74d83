package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a container saves checkpoints, as its log says it. Times are the container runtime's stamps
 * on the lines. What a line says is what the program claims: whether a checkpoint is complete is
 * for the inspector to say.
 *
 * @param saves how many saves were seen to be over
 * @param step the step that training was at in the newest of them; absent where no step is seen
 * @param time when the newest of them was over
 * @param intervals how many intervals between two saves were measured
 * @param secondsApart the median of the newest five; absent where there is none
 * @param longestSeconds the longest of them
 * @param longestSteps the most steps between two of them
 * @param secondsLong the median time that one of the newest five took; absent where no line says
 *     when one began
 * @param background whether steps were made while the newest one was written
 * @param blockedSeconds how long saves have kept this run of the container from training
 * @param begun since when a save is under way; absent where none is
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record LoggedSaves(
    @Min(0) @Max(Integer.MAX_VALUE) int saves,
    @Nullable @Min(0) Long step,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant time,
    @Min(0) @Max(Integer.MAX_VALUE) int intervals,
    @Nullable @Min(0) Double secondsApart,
    @Nullable @Min(0) Double longestSeconds,
    @Nullable @Min(0) Long longestSteps,
    @Nullable @Min(0) Double secondsLong,
    boolean background,
    @Min(0) double blockedSeconds,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant begun) {
  public LoggedSaves {
    saves = Math.max(0, saves);
    intervals = Math.max(0, intervals);
    secondsApart = Bounds.seconds(secondsApart);
    longestSeconds = Bounds.seconds(longestSeconds);
    secondsLong = Bounds.seconds(secondsLong);
    blockedSeconds = Bounds.seconds(blockedSeconds);
  }
}
