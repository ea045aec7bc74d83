package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a gang comes back.
 *
 * @param strategy {@code auto} restarts in place if that is possible and faster, {@code rebuild}
 *     never restarts in place, {@code inPlace} does whenever it is possible
 * @param freezeSeconds how long the agents may take to confirm that a gang is frozen, plus a second
 *     for every hundred pods; then the gang is rebuilt instead
 * @param replacementSeconds how long the other pods stay frozen for a replacement that finds no
 *     node; then the gang is rebuilt instead
 * @param topologyKeys node labels by network distance, nearest first
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RestartPolicy(
    @Nullable @Default(RestartPolicy.AUTO) @Pattern("^(auto|rebuild|inPlace)$") String strategy,
    @Nullable @Default("" + RestartPolicy.FREEZE) @Min(1) @Max(600) Integer freezeSeconds,
    @Nullable @Default("" + RestartPolicy.REPLACEMENT) @Min(0) @Max(3600)
        Integer replacementSeconds,
    @Nullable @Size(max = 8) List<@Size(min = 1, max = 317) String> topologyKeys) {
  /** The default of {@code strategy}. */
  public static final String AUTO = "auto";

  /** The default of {@code freezeSeconds}. */
  public static final int FREEZE = 10;

  /** The default of {@code replacementSeconds}. */
  public static final int REPLACEMENT = 60;

  /** One that sets nothing. */
  public static final RestartPolicy NONE = new RestartPolicy(null, null, null, null);
}
