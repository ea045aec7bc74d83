package dev.rekindle.simulator.replay;

import dev.rekindle.controller.model.PodView;
import dev.rekindle.simulator.FaultInjector;
import dev.rekindle.simulator.Simulation;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Brings the faults of the trace about, each by its nearest lever, and ends them. A node that the
 * job does not use is simply away meanwhile: it costs capacity and nothing else.
 */
final class Faults {
  /**
   * Where faults of a kind fell.
   *
   * @param hit on a node, or process, of the job
   * @param idle on a node that the job did not use
   * @param leftOut not brought about: no operator takes out a node that trains
   */
  record Tally(int hit, int idle, int leftOut) {
    static final Tally NONE = new Tally(0, 0, 0);

    Tally plus(Tally other) {
      return new Tally(hit + other.hit, idle + other.idle, leftOut + other.leftOut);
    }
  }

  private final Simulation simulation;
  private final FaultKind unknown;
  private final Map<String, FaultKind> out = new TreeMap<>();
  private final Map<FaultKind, Tally> tallies = new EnumMap<>(FaultKind.class);

  Faults(Simulation simulation, FaultKind unknown) {
    this.simulation = simulation;
    this.unknown = unknown;
  }

  /** Begins one, and returns which kind hit the job, if it did. */
  Optional<FaultKind> begin(Outage outage) {
    FaultKind kind = FaultKind.of(outage, unknown);
    String node = outage.node();
    Optional<PodView> pod =
        simulation.pods(Setups.JOB).stream()
            .filter(some -> some.live() && some.node().equals(node))
            .findFirst();
    if (pod.isPresent() && kind == FaultKind.AWAY) {
      tallies.merge(kind, new Tally(0, 0, 1), Tally::plus);
      return Optional.empty();
    }
    tallies.merge(kind, pod.isPresent() ? new Tally(1, 0, 0) : new Tally(0, 1, 0), Tally::plus);
    // What is off shows no fault and takes no pod.
    FaultKind shown = pod.isPresent() ? kind : FaultKind.AWAY;
    if (kind.takesNode) {
      out.put(node, shown);
    }
    if (pod.isPresent() || kind.takesNode) {
      bringAbout(shown, node, pod.map(PodView::rank).orElse(-1));
    }
    return pod.map(_ -> kind);
  }

  private void bringAbout(FaultKind kind, String node, int rank) {
    FaultInjector levers = simulation.levers();
    switch (kind) {
      case GPU_LOST -> levers.gpuLost(node);
      case ECC -> levers.eccError(node);
      case NIC_DOWN -> levers.nicDown(node);
      case NODE_DEAD, AWAY -> levers.nodeDies(node);
      case CRASH -> levers.rankDies(Setups.JOB, rank, 1);
      case HANG -> levers.rankHangs(Setups.JOB, rank);
    }
  }

  /**
   * Ends one: the node is repaired, where it was out, and starts again: what waited on it for a
   * lost device ends.
   */
  void end(Outage outage) {
    if (out.remove(outage.node()) != null) {
      simulation.levers().nodeDies(outage.node());
      simulation.levers().repaired(outage.node());
    }
  }

  /** Nodes that are out now. */
  Set<String> out() {
    return Collections.unmodifiableSet(out.keySet());
  }

  boolean dead(String node) {
    FaultKind kind = out.get(node);
    return kind == FaultKind.NODE_DEAD || kind == FaultKind.AWAY;
  }

  Map<FaultKind, Tally> tallies() {
    return new EnumMap<>(tallies);
  }
}
