package dev.rekindle.detect.freeze;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Which container a process lives in, as the node's proc file system shows it. */
public final class ContainerOfProcess {
  private final Path proc;

  /** Reads the proc file system with this root, {@code /proc}. */
  public ContainerOfProcess(Path proc) {
    this.proc = proc;
  }

  /**
   * The container of a process; empty where it is none of these, or has ended.
   *
   * @param process its id on the node
   * @param containers ids to choose from
   */
  public Optional<String> find(long process, Collection<String> containers) {
    List<String> groups;
    try {
      groups = Files.readAllLines(proc.resolve(String.valueOf(process)).resolve("cgroup"));
    } catch (IOException ended) {
      return Optional.empty();
    }
    for (var id : containers) {
      if (isIn(groups, id)) {
        return Optional.of(id);
      }
    }
    return Optional.empty();
  }

  /** Whether there is such a process on the node. */
  public boolean lives(long process) {
    return Files.exists(proc.resolve(String.valueOf(process)).resolve("cgroup"));
  }

  private static boolean isIn(List<String> groups, String id) {
    ContainerName name;
    try {
      name = new ContainerName(id);
    } catch (IllegalArgumentException noId) {
      return false;
    }
    return groups.stream().anyMatch(line -> name.isIn(line.substring(line.lastIndexOf(':') + 1)));
  }
}
