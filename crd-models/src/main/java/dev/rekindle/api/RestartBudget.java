package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import org.jspecify.annotations.Nullable;

/**
 * How often a job is restarted.
 *
 * @param maxRestarts restarts allowed for one job within {@code windowSeconds}, every attempt of
 *     every recovery counted
 * @param windowSeconds the time over which {@code maxRestarts} counts
 * @param maxAttempts restarts tried within one recovery, never more than the budget has left
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RestartBudget(
    @Nullable @Default("" + RestartBudget.MAX_RESTARTS) @Min(0) @Max(1000) Integer maxRestarts,
    @Nullable @Default("" + RestartBudget.WINDOW) @Min(1) @Max(30 * Bounds.DAY)
        Integer windowSeconds,
    @Nullable @Default("" + RestartBudget.MAX_ATTEMPTS) @Min(1) @Max(100) Integer maxAttempts) {
  /** The default of {@code maxRestarts}. */
  public static final int MAX_RESTARTS = 5;

  /** The default of {@code windowSeconds}. */
  public static final int WINDOW = 3600;

  /** The default of {@code maxAttempts}. */
  public static final int MAX_ATTEMPTS = 3;

  /** One that sets nothing. */
  public static final RestartBudget NONE = new RestartBudget(null, null, null);
}
