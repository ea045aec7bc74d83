package dev.rekindle.agent.pods;

import dev.rekindle.detect.pod.OptInMode;
import dev.rekindle.detect.progress.StepPattern;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the agent needs to know of a job.
 *
 * @param optedIn whether its user requested Rekindle
 * @param restart whether Rekindle may restart it, and not only observe it
 * @param pattern finds the step in a line of its log
 * @param pods how many pods it wants
 * @param owner name of what it belongs to; its own where that is nothing. Made again it is the same
 */
public record JobSettings(
    boolean optedIn, boolean restart, StepPattern pattern, int pods, String owner) {
  /** A job that is not there, or did not opt in. */
  static final JobSettings NONE = new JobSettings(false, false, StepPattern.byDefault(), 1, "");

  /** What the reports of one gang may come to. */
  private static final int WRITES_PER_SECOND = 64;

  private static final Duration LONGEST = Duration.ofSeconds(20);

  /** Reads the annotations {@code rekindle.dev/recover} and {@code step-pattern}, and a label. */
  public static JobSettings of(GenericKubernetesResource object) {
    var job = object.getMetadata();
    var annotations = orEmpty(job.getAnnotations());
    var optIn = OptInMode.of(orEmpty(job.getLabels()), annotations);
    var pattern = annotations.get("rekindle.dev/step-pattern");
    return new JobSettings(
        optIn.isGiven(),
        optIn.lets(),
        pattern == null ? StepPattern.byDefault() : StepPattern.of(pattern),
        pods(object),
        owner(job));
  }

  /**
   * What made it, for that may make it again under another name; else its name without the part
   * that the API server has made up.
   */
  private static String owner(ObjectMeta job) {
    if (job.getOwnerReferences() != null) {
      for (var owner : job.getOwnerReferences()) {
        if (Boolean.TRUE.equals(owner.getController())) {
          return owner.getName();
        }
      }
    }
    var generated = job.getGenerateName();
    return generated == null || generated.isEmpty() ? job.getName() : generated;
  }

  /** The same of a job that is gone, whose owner is known still. */
  JobSettings withOwner(String name) {
    return new JobSettings(optedIn, restart, pattern, pods, name);
  }

  /** The training operator makes one of a replica type that names no number. */
  private static int pods(GenericKubernetesResource job) {
    if (!(job.get("spec", "pytorchReplicaSpecs") instanceof Map<?, ?> replicas)) {
      return 1;
    }
    long sum = 0;
    for (var replica : replicas.values()) {
      var count = replica instanceof Map<?, ?> spec ? spec.get("replicas") : null;
      sum += count instanceof Number number ? Math.max(0, number.longValue()) : 1;
    }
    return (int) Math.min(sum, 1_000_000);
  }

  /**
   * How often to report on one of its pods: more seldom for a big gang, as all of its agents write
   * to one API server, but often enough to count as fresh (30 s).
   *
   * @param least the interval for a small gang
   */
  public Duration interval(Duration least) {
    var paced = Duration.ofMillis(pods * 1_000L / WRITES_PER_SECOND);
    var bounded = paced.compareTo(LONGEST) < 0 ? paced : LONGEST;
    return bounded.compareTo(least) > 0 ? bounded : least;
  }

  private static Map<String, String> orEmpty(@Nullable Map<String, String> map) {
    return map == null ? Map.of() : map;
  }
}
