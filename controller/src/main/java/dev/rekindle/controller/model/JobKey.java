package dev.rekindle.controller.model;

/**
 * Which PyTorchJob is meant.
 *
 * @param namespace its namespace
 * @param name its name
 */
public record JobKey(String namespace, String name) implements Comparable<JobKey> {
  @Override
  public int compareTo(JobKey other) {
    int byNamespace = namespace.compareTo(other.namespace);
    return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
  }

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
