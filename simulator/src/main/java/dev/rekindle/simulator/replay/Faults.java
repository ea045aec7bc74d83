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
    Optional<PodView> pod = podOn(outage.node());
    if (pod.isEmpty()) {
      count(kind, new Tally(0, 1, 0));
      if (kind.takesNode()) {
        // What is off shows no fault and takes no pod.
        out.put(outage.node(), FaultKind.AWAY);
        simulation.levers().nodeDies(outage.node());
      }
      return Optional.empty();
    }
    if (kind == FaultKind.AWAY) {
      count(kind, new Tally(0, 0, 1));
      return Optional.empty();
    }
    count(kind, new Tally(1, 0, 0));
    if (kind.takesNode()) {
      out.put(outage.node(), kind);
    }
    hit(kind, outage.node(), pod.get());
    return Optional.of(kind);
  }

  private void count(FaultKind kind, Tally one) {
    tallies.merge(kind, one, Tally::plus);
  }

  private void hit(FaultKind kind, String node, PodView pod) {
    FaultInjector levers = simulation.levers();
    int rank = pod.role().equals("master") ? 0 : pod.index() + 1;
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
   * Ends one: the node is repaired, where it was out, and starts anew: what waited on it for a lost
   * device ends.
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

  private Optional<PodView> podOn(String node) {
    return simulation.pods(Setups.JOB).stream()
        .filter(pod -> pod.live() && pod.node().equals(node))
        .findFirst();
  }
}
