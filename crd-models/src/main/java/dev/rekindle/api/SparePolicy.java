package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import org.jspecify.annotations.Nullable;

/**
 * How many warm spares jobs may have. A spare is a pod that reserves the resources of a worker, has
 * its image on the node, and runs nothing. Jobs request them by the annotation {@code
 * rekindle.dev/spares}; none are created unless the chart allows it.
 *
 * @param maxPerJob most spares of one job; 0 for none
 * @param maxPerNamespace most spares of all jobs of one namespace
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SparePolicy(
    @Nullable @Default("" + SparePolicy.PER_JOB) @Min(0) @Max(SparePolicy.MOST) Integer maxPerJob,
    @Nullable @Default("" + SparePolicy.PER_NAMESPACE) @Min(0) @Max(64) Integer maxPerNamespace) {
  /** The default of {@code maxPerJob}. */
  public static final int PER_JOB = 1;

  /** The default of {@code maxPerNamespace}. */
  public static final int PER_NAMESPACE = 2;

  /** More no job may have, whatever a policy says. */
  public static final int MOST = 8;

  /** One that sets nothing. */
  public static final SparePolicy NONE = new SparePolicy(null, null);
}
