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

/**
 * The processes of containers, seen from the host they all run on. A container is found by its id,
 * which stands in the cgroup path of its processes (the UID of the pod does not, on these nodes).
 */
final class Host {
  private static final Path PROC = Path.of("/proc");

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

  /** Sends a signal, by its name without SIG. */
  static void signal(String name, List<Long> processes) {
    if (processes.isEmpty()) {
      return;
    }
    List<String> program = new ArrayList<>(List.of("kill", "-" + name));
    processes.forEach(p -> program.add(Long.toString(p)));
    Command.run(Duration.ofSeconds(10), program.toArray(String[]::new));
  }
}
