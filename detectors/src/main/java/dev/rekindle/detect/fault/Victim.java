package dev.rekindle.detect.fault;

/**
 * The pod that a fault hit.
 *
 * @param namespace its namespace
 * @param pod its name
 * @param jobUid UID of its job; empty when it has none
 */
public record Victim(String namespace, String pod, String jobUid) {
  /** Nobody, or nobody knows. */
  public static final Victim UNKNOWN = new Victim("", "", "");

  /** Whether the pod is known. */
  public boolean isKnown() {
    return !pod.isEmpty();
  }
}
