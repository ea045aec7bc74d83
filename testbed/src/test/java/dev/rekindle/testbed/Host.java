package dev.rekindle.testbed;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The processes of containers, seen from the host they all run on. A container is found by its id,
 * which stands in the cgroup path of its processes (the UID of the pod does not, on these nodes).
 */
final class Host {
  private static final Path PROC = Path.of("/proc");
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private Host() {}

  /** Process ids of one container of a pod; empty when it does not run. */
  static List<Long> processes(Pod pod, String container) {
    List<Long> found = new ArrayList<>();
    for (ContainerStatus status : pod.getStatus().getContainerStatuses()) {
      String id = status.getContainerID();
      if (status.getName().equals(container) && id != null) {
        found.addAll(inCgroup(id.substring(id.lastIndexOf('/') + 1)));
      }
    }
    return List.copyOf(found);
  }

  private static List<Long> inCgroup(String id) {
    List<Long> found = new ArrayList<>();
    try (var processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        if (cgroups(process).contains(id)) {
          found.add(Long.parseLong(process.getFileName().toString()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  private static String cgroups(Path process) {
    try {
      return Files.readString(process.resolve("cgroup"));
    } catch (IOException gone) {
      return "";
    }
  }

  /** Kills without a warning, with as little delay as can be. */
  static void kill(List<Long> processes) {
    processes.forEach(p -> ProcessHandle.of(p).ifPresent(ProcessHandle::destroyForcibly));
  }

  /** Sends a signal, by its name without SIG. Some of them may have ended meanwhile. */
  static void signal(String name, List<Long> processes) {
    List<String> program = new ArrayList<>(List.of("kill", "-" + name));
    processes.stream().filter(Host::runs).forEach(p -> program.add(Long.toString(p)));
    if (program.size() == 2) {
      return;
    }
    StringBuilder said = new StringBuilder();
    int code = Command.run(LIMIT, program, said, line -> said.append(line).append('\n'));
    // It sends to all the others before it says that one is gone.
    if (code != 0 && processes.stream().allMatch(Host::runs)) {
      throw new AssertionError("%s: exit code %d: %s".formatted(program, code, said));
    }
  }

  /** Whether a process is there and has not ended. */
  static boolean runs(long process) {
    return ProcessHandle.of(process).map(ProcessHandle::isAlive).orElse(false);
  }

  /**
   * The first process of a container, which the others come from. Not the one with the lowest
   * number: numbers begin again at the lowest after the highest.
   */
  static long first(List<Long> processes) {
    return processes.stream()
        .filter(p -> parent(p).filter(processes::contains).isEmpty())
        .filter(Host::runs)
        .findFirst()
        .orElseThrow(() -> new AssertionError("none of these runs: " + processes));
  }

  private static Optional<Long> parent(long process) {
    return ProcessHandle.of(process).flatMap(ProcessHandle::parent).map(ProcessHandle::pid);
  }
}
