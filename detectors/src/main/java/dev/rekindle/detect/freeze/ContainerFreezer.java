package dev.rekindle.detect.freeze;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Works on the processes of this node. Used by one thread. */
public final class ContainerFreezer implements Freezer {
  /** What stands in reports for signals. */
  private static final String SIGNALS = "SIGSTOP";

  private final CgroupFinder finder;
  private final Processes processes;
  private final SignalSender signals;

  /** Where a container was found, so that the file system is walked once. */
  private final Map<String, Group> groups = new HashMap<>();

  /** Processes that the last check of a container without a freezer found all stopped. */
  private final Map<String, Set<Long>> stopped = new HashMap<>();

  /** Containers with processes that are to be killed. */
  private final Set<String> killing = new HashSet<>();

  /**
   * A freezer.
   *
   * @param cgroup where the cgroup file systems of the node are mounted
   * @param proc the proc file system of the node
   */
  public ContainerFreezer(Path cgroup, Path proc) {
    this(cgroup, proc, new KernelSignals());
  }

  ContainerFreezer(Path cgroup, Path proc, SignalSender signals) {
    this.finder = new CgroupFinder(cgroup);
    this.processes = new Processes(proc);
    this.signals = signals;
  }

  @Override
  public Outcome freeze(String container) throws IOException {
    var name = new ContainerName(container);
    var group = group(container, name);
    if (group != null) {
      var inside = group.processes();
      refuseOurselves(inside);
      if (inside.isEmpty()) {
        groups.remove(container);
      } else if (stopped.containsKey(container)) {
        return stop(container, name);
      } else {
        try {
          if (!group.isFrozen()) {
            group.freeze();
          }
          return group.isFrozen() ? Outcome.DONE : Outcome.NOT_YET;
        } catch (IOException e) {
          // Read-only or not ours to write: signals then. A group that went away has nothing left.
          if (!(e instanceof FileSystemException)
              && !Group.goesAway(e)
              && Files.isDirectory(group.folder())) {
            throw e;
          }
          return stop(container, name);
        }
      }
    }
    return stop(container, name);
  }

  @Override
  public String how(String container) {
    if (stopped.containsKey(container)) {
      return SIGNALS;
    }
    var group = groups.get(container);
    return group == null ? "" : group.how();
  }

  /** Stops by signals until two checks in a row show the same processes, all of them stopped. */
  private Outcome stop(String container, ContainerName name) throws IOException {
    var inside = processes.of(name);
    refuseOurselves(inside);
    if (inside.isEmpty()) {
      stopped.remove(container);
      return Outcome.GONE;
    }
    var all = new TreeSet<Long>();
    for (var process : inside) {
      if (processes.state(process) == Processes.State.RUNS) {
        signals.send(process, SignalSender.STOP);
      } else {
        all.add(process);
      }
    }
    var before = stopped.put(container, all);
    return all.equals(inside) && all.equals(before) ? Outcome.DONE : Outcome.NOT_YET;
  }

  @Override
  public boolean hasProcesses(String container) throws IOException {
    var name = new ContainerName(container);
    var group = group(container, name);
    return (group != null && !living(group).isEmpty()) || !processes.of(name).isEmpty();
  }

  @Override
  public Outcome kill(String container) throws IOException {
    var name = new ContainerName(container);
    var group = group(container, name);
    if (group != null) {
      var inside = living(group);
      refuseOurselves(inside);
      if (!inside.isEmpty()) {
        killing.add(container);
        try {
          group.kill(signals);
        } catch (IOException e) {
          if (!(e instanceof FileSystemException)
              && !Group.goesAway(e)
              && Files.isDirectory(group.folder())) {
            throw e;
          }
          signal(inside, SignalSender.KILL);
        }
        if (!living(group).isEmpty()) {
          return Outcome.NOT_YET;
        }
      }
    }
    // Also what no freezer holds: a process may have joined one hierarchy and not the other.
    var rest = processes.of(name);
    refuseOurselves(rest);
    signal(rest, SignalSender.KILL);
    if (!rest.isEmpty()) {
      killing.add(container);
      return Outcome.NOT_YET;
    }
    forget(container);
    return killing.remove(container) ? Outcome.DONE : Outcome.GONE;
  }

  @Override
  public Outcome thaw(String container, String how) throws IOException {
    var name = new ContainerName(container);
    var found = finder.find(name);
    for (var group : found) {
      if (!group.processes().isEmpty()) {
        group.thaw();
      }
    }
    var inside = processes.of(name);
    // What a user stopped by hand stays so.
    if (how.isEmpty() || how.equals(SIGNALS)) {
      for (var process : inside) {
        if (processes.state(process) == Processes.State.STOPPED) {
          signals.send(process, SignalSender.CONTINUE);
        }
      }
    }
    forget(container);
    return inside.isEmpty() ? Outcome.GONE : Outcome.DONE;
  }

  private void forget(String container) {
    groups.remove(container);
    stopped.remove(container);
  }

  /**
   * The group that holds most of the container: where both versions are mounted, a process that was
   * brought in later may be in one of them only.
   */
  private @Nullable Group group(String container, ContainerName name) throws IOException {
    var known = groups.get(container);
    if (known == null) {
      record Sized(Group group, int size) {}
      List<Sized> found = new ArrayList<>();
      for (var group : finder.find(name)) {
        var size = group.processes().size();
        if (size > 0) {
          found.add(new Sized(group, size));
        }
      }
      // The first of equals is of version 2.
      known =
          found.stream()
              .max(
                  Comparator.comparingInt(Sized::size)
                      .thenComparing(sized -> sized.group() instanceof GroupV2))
              .map(Sized::group)
              .orElse(null);
      if (known != null) {
        groups.put(container, known);
      }
    }
    return known;
  }

  private Set<Long> living(Group group) throws IOException {
    var all = group.processes();
    all.removeIf(process -> processes.state(process) == Processes.State.DEAD);
    return all;
  }

  private void signal(Set<Long> all, int signal) throws IOException {
    for (var process : all) {
      signals.send(process, signal);
    }
  }

  private static void refuseOurselves(Set<Long> processes) throws IOException {
    if (processes.contains(ProcessHandle.current().pid())) {
      throw new IOException("that container is the agent's own");
    }
  }
}
