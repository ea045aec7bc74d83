package dev.rekindle.detect.agent;

import dev.rekindle.detect.progress.StepPattern;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the agent needs to know of a job.
 *
 * @param optedIn whether its user asked for Rekindle
 * @param restart whether Rekindle may restart it, and not only look on
 * @param pattern finds the step in a line of its log
 */
record JobSettings(boolean optedIn, boolean restart, StepPattern pattern) {
  /** A job that is not there, or did not opt in. */
  static final JobSettings NONE = new JobSettings(false, false, StepPattern.byDefault());

  private static final String OBSERVE = "observe";
  private static final Set<String> OPT_IN = Set.of("true", OBSERVE, "approve");

  /** Reads the annotations {@code rekindle.dev/recover} and {@code step-pattern}, and a label. */
  static JobSettings of(ObjectMeta job) {
    var annotations = orEmpty(job.getAnnotations());
    var recover = annotations.get("rekindle.dev/recover");
    // KCover's label counts where our own annotation says nothing.
    var optedIn =
        recover == null
            ? "true".equals(orEmpty(job.getLabels()).get("kcover.io/cascading-recovery"))
            : OPT_IN.contains(recover.strip());
    var pattern = annotations.get("rekindle.dev/step-pattern");
    return new JobSettings(
        optedIn,
        optedIn && (recover == null || !OBSERVE.equals(recover.strip())),
        pattern == null ? StepPattern.byDefault() : StepPattern.of(pattern));
  }

  private static Map<String, String> orEmpty(@Nullable Map<String, String> map) {
    return map == null ? Map.of() : map;
  }
}
