package dev.rekindle.detect.fault;

/**
 * Whom a fault hit.
 *
 * @param namespace namespace of the pod; empty where none is known
 * @param pod its name
 * @param jobUid UID of its job; empty when it has none
 * @param owner name of what that job belongs to in the end; empty where it was not known
 * @param process name of the process; empty where none was named
 */
public record AffectedPod(
    String namespace, String pod, String jobUid, String owner, String process) {
  /** None, or none that is known. */
  public static final AffectedPod UNKNOWN = new AffectedPod("", "", "");

  /** A pod of which no more is known. */
  public AffectedPod(String namespace, String pod, String jobUid) {
    this(namespace, pod, jobUid, "", "");
  }

  /** Whether the pod is known. */
  public boolean isKnown() {
    return !pod.isEmpty();
  }

  /** The same, and what its process is called. */
  public AffectedPod as(String name) {
    return new AffectedPod(namespace, pod, jobUid, owner, name);
  }
}
