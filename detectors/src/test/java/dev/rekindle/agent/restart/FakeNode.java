package dev.rekindle.agent.restart;

import dev.rekindle.detect.freeze.Freezer;
import dev.rekindle.detect.freeze.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Containers of a node without processes. Every call takes two attempts when it is slow. */
public final class FakeNode implements Freezer {
  public enum State {
    RUNS,
    FREEZING,
    FROZEN,
    KILLING,
    DEAD
  }

  public final Map<String, State> containers = new HashMap<>();

  /** What was requested, as {@code freeze c1}. */
  public final List<String> calls = new ArrayList<>();

  /** Ids that cannot be those of containers. */
  final Set<String> impossible = new HashSet<>();

  boolean slow;

  /** Why nothing can be frozen; empty when it can. */
  String broken = "";

  private State state(String call, String container) {
    calls.add(call + " " + container);
    if (impossible.contains(container)) {
      throw new IllegalArgumentException("'" + container + "' is no container id");
    }
    return containers.getOrDefault(container, State.DEAD);
  }

  @Override
  public Outcome freeze(String container) throws IOException {
    var state = state("freeze", container);
    if (!broken.isEmpty()) {
      throw new IOException(broken);
    }
    if (state == State.DEAD) {
      return Outcome.GONE;
    }
    var now = slow && state == State.RUNS ? State.FREEZING : State.FROZEN;
    containers.put(container, now);
    return now == State.FROZEN ? Outcome.DONE : Outcome.NOT_YET;
  }

  @Override
  public String how(String container) {
    return "cgroup-v1";
  }

  @Override
  public boolean hasProcesses(String container) {
    return containers.getOrDefault(container, State.DEAD) != State.DEAD;
  }

  @Override
  public Outcome kill(String container) {
    var state = state("kill", container);
    var now = slow && state != State.KILLING && state != State.DEAD ? State.KILLING : State.DEAD;
    containers.put(container, now);
    if (state == State.DEAD) {
      return Outcome.GONE;
    }
    return now == State.DEAD ? Outcome.DONE : Outcome.NOT_YET;
  }

  @Override
  public Outcome thaw(String container, String how) {
    var state = state("thaw", container);
    if (state == State.DEAD) {
      return Outcome.GONE;
    }
    containers.put(container, State.RUNS);
    return Outcome.DONE;
  }
}
