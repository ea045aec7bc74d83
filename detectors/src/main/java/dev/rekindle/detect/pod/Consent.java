package dev.rekindle.detect.pod;

import java.util.Map;

/**
 * What the owner of a job lets Rekindle do, as the job says it. Agent and controller read it here,
 * so that none of them acts on a value that the other refuses.
 */
public enum Consent {
  /** Nothing: the job did not opt in. */
  NONE,
  /** Say what would be done. */
  OBSERVE,
  /** Act once a person has approved. */
  APPROVE,
  /** Act. */
  AUTO,
  /** The annotation says something else: nothing is done, and an event reports it. */
  UNUSABLE;

  /** The annotation: {@code true}, {@code approve}, {@code observe} or {@code false}. */
  public static final String ANNOTATION = "rekindle.dev/recover";

  /** KCover's label, which counts where the annotation is absent. */
  public static final String KCOVER_LABEL = "kcover.io/cascading-recovery";

  /** Reads labels and annotations of a job. */
  public static Consent of(Map<String, String> labels, Map<String, String> annotations) {
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
