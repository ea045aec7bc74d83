package dev.rekindle.detect.freeze;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/** The processes of the containers of this node, to read only. */
public final class ContainerProcesses {
  private final Processes processes;

  /** Reads a proc file system that shows the node's process ids. */
  public ContainerProcesses(Path proc) {
    processes = new Processes(proc);
  }

  /**
   * The ids of all processes of a container, in the node's numbering.
   *
   * @throws IOException when there is no proc file system
   * @throws IllegalArgumentException when that cannot be the id of a container
   */
  public Set<Long> of(String container) throws IOException {
    return processes.of(new ContainerName(container));
  }

  /** Whether all threads of a process are stopped, by a signal or a debugger. */
  public boolean isStopped(long process) {
    return processes.state(process) == Processes.State.STOPPED;
  }
}
