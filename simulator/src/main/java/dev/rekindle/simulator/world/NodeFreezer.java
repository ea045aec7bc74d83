package dev.rekindle.simulator.world;

import dev.rekindle.detect.freeze.Freezer;
import dev.rekindle.detect.freeze.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The control groups of a node: what is asked of the kernel comes to be a moment later. */
final class NodeFreezer implements Freezer {
  private static final String HOW = "cgroup-v2";

  /** Until the processes of a container stand still. */
  private static final Duration TAKES = Duration.ofMillis(15);

  private final World world;
  private final Machine machine;

  /** Containers that are to be frozen, and those that were killed. */
  private final Set<String> freezing = new HashSet<>();

  private final Set<String> killing = new HashSet<>();
  private Instant refusesUntil = Instant.MIN;

  NodeFreezer(World world, Machine machine) {
    this.world = world;
    this.machine = machine;
  }

  /** Nothing can be frozen until then. */
  void refusesUntil(Instant until) {
    refusesUntil = until;
  }

  private record Found(Gang gang, RankProcess process) {}

  private @Nullable Found find(String container) {
    String pod = container.substring(0, Math.max(0, container.lastIndexOf('-')));
    for (Gang gang : world.gangs().all()) {
      RankProcess process = gang.processes().find(pod);
      if (process != null
          && process.machine.equals(machine)
          && process.containerId().equals(container)) {
        return new Found(gang, process);
      }
    }
    return null;
  }

  @Override
  public Outcome freeze(String container) throws IOException {
    Found found = find(container);
    if (found == null) {
      return Outcome.GONE;
    }
    if (found.process().frozen) {
      return Outcome.DONE;
    }
    if (refusesUntil.isAfter(world.now())) {
      throw new IOException("the processes do not freeze");
    }
    if (freezing.add(container)) {
      world
          .loop()
          .after(
              world.jitter(TAKES),
              () -> {
                if (freezing.remove(container)) {
                  found.gang().freeze(found.process());
                }
              });
    }
    return Outcome.NOT_YET;
  }

  @Override
  public String how(String container) {
    return HOW;
  }

  @Override
  public boolean hasProcesses(String container) {
    return find(container) != null;
  }

  @Override
  public Outcome kill(String container) {
    Found found = find(container);
    freezing.remove(container);
    if (found == null) {
      return killing.remove(container) ? Outcome.DONE : Outcome.GONE;
    }
    killing.add(container);
    found.gang().kill(found.process());
    world.kubelet(machine.name()).killed(found.process());
    return Outcome.NOT_YET;
  }

  @Override
  public Outcome thaw(String container, String how) {
    Found found = find(container);
    freezing.remove(container);
    if (found == null) {
      return Outcome.GONE;
    }
    found.gang().thaw(found.process());
    return Outcome.DONE;
  }
}
