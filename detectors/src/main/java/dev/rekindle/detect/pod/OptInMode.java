package dev.rekindle.detect.pod;

import java.util.Map;

/**
 * Whether the owner of a job has opted in, and to what: the annotation {@code
 * rekindle.dev/recover}. Agent and controller both read it here, so that neither acts on a value
 * that the other refuses.
 */
public enum OptInMode {
  /** The job has not opted in: nothing is done. */
  NONE,
  /** Only announce what would be done. */
  OBSERVE,
  /** Recover the job once a person has approved. */
  APPROVE,
  /** Recover the job. */
  AUTO,
  /** The annotation has another value: nothing is done, and an event says so. */
  UNUSABLE;

  /** The annotation: {@code true}, {@code approve}, {@code observe} or {@code false}. */
  public static final String ANNOTATION = "rekindle.dev/recover";

  /** KCover's label, which counts where the annotation is absent. */
  public static final String KCOVER_LABEL = "kcover.io/cascading-recovery";

  /** Reads labels and annotations of a job. */
  public static OptInMode of(Map<String, String> labels, Map<String, String> annotations) {
    var word = annotations.get(ANNOTATION);
    if (word == null) {
      return "true".equals(labels.get(KCOVER_LABEL)) ? AUTO : NONE;
    }
    return switch (word) {
      case "true" -> AUTO;
      case "approve" -> APPROVE;
      case "observe" -> OBSERVE;
      case "false" -> NONE;
      default -> UNUSABLE;
    };
  }

  /** Whether the job is watched at all. */
  public boolean isGiven() {
    return this == OBSERVE || lets();
  }

  /** Whether anything may be done to it. */
  public boolean lets() {
    return this == APPROVE || this == AUTO;
  }
}
