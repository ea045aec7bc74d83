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
    FaultKind kind = FaultKinds.of(outage, unknown);
    Optional<PodView> pod = podOn(outage.node());
    boolean leaveOut = kind == FaultKind.AWAY && pod.isPresent();
    Tally one =
        leaveOut
            ? new Tally(0, 0, 1)
            : new Tally(pod.isPresent() ? 1 : 0, pod.isPresent() ? 0 : 1, 0);
    tallies.merge(kind, one, Tally::plus);
    if (leaveOut) {
      return Optional.empty();
    }
    if (kind.takesNode()) {
      // What is off shows no fault and takes no pod.
      out.put(outage.node(), pod.isPresent() ? kind : FaultKind.AWAY);
    }
    if (pod.isEmpty()) {
      if (kind.takesNode()) {
        simulation.levers().nodeDies(outage.node());
      }
      return Optional.empty();
    }
    hit(kind, outage.node(), rank(pod.get()));
    return Optional.of(kind);
  }

  private void hit(FaultKind kind, String node, int rank) {
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

  private static int rank(PodView pod) {
    return pod.role().equals("master") ? 0 : pod.index() + 1;
  }
}
