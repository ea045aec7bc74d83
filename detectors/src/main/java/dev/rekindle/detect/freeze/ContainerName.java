package dev.rekindle.detect.freeze;

import java.util.Set;
import java.util.regex.Pattern;

/** The names that container runtimes give to the cgroup of a container. */
final class ContainerName {
  /** No shorter: what matches a container must never match a folder that only looks like one. */
  private static final Pattern ID = Pattern.compile("[0-9A-Za-z][0-9A-Za-z_-]{11,127}");

  private final Set<String> names;

  /**
   * The names of a container.
   *
   * @throws IllegalArgumentException when that cannot be the id of a container
   */
  ContainerName(String id) {
    if (!ID.matcher(id).matches()) {
      throw new IllegalArgumentException("'" + id + "' is no container id");
    }
    // Exact names, as CRI-O's monitor is beside the container as crio-conmon-ID.scope.
    names =
        Set.of(
            id,
            "cri-containerd-" + id + ".scope",
            "crio-" + id + ".scope",
            "crio-" + id,
            "docker-" + id + ".scope");
  }

  /** Whether a folder of this name is the container's. */
  boolean is(String folder) {
    return names.contains(folder);
  }

  /** Whether a path of a line of {@code /proc/PID/cgroup} leads through the container's folder. */
  boolean isIn(String path) {
    for (var folder : path.split("/", -1)) {
      if (is(folder)) {
        return true;
      }
    }
    return false;
  }
}
