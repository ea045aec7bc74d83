package dev.rekindle.detect.weigh;

/**
 * Who was hit. Pods, processes and jobs come and go while it is the same program that crashes; what
 * stays is the owner, so a job that is made again under the same owner is the same program. Where
 * no pod is known the name of the process stands for it.
 *
 * @param namespace its namespace; empty where no pod is known
 * @param name its owner, or the process; empty where it is not known
 */
public record Program(String namespace, String name) {
  /** Not known. */
  static final Program UNKNOWN = new Program("", "");

  static Program of(Incident incident) {
    if (!incident.owner().isEmpty()) {
      return new Program(incident.namespace(), incident.owner());
    }
    // A pod whose owner is not known is not another program than one whose owner is known.
    return incident.jobUid().isEmpty() && incident.namespace().isEmpty()
        ? new Program("", incident.process())
        : UNKNOWN;
  }

  /** Whether anything is known. */
  boolean isKnown() {
    return !name.isEmpty();
  }

  /** Whether its pod is known, and not its process alone. */
  boolean hasPod() {
    return !namespace.isEmpty();
  }

  @Override
  public String toString() {
    return hasPod() ? namespace + "/" + name : "process " + name;
  }
}
