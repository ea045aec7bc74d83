package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.placement.plan.Candidate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The nodes that pods of a gang may be planned on, with what is taken of them so far. */
final class CandidateNodes {
  private final Gang gang;
  private final SecondChoices secondChoices;
  private final Map<String, Long> gpus;
  private final Map<String, Amounts> taken;
  private final Map<String, Integer> podsOn = new HashMap<>();

  /** The most pods of the gang that any node has, those that leave among them: its shape. */
  private final int packed;

  /** Nodes with a fault that fences, also where the breaker keeps them from being fenced. */
  private final Set<String> faulty;

  private final Map<String, String> refused = new TreeMap<>();

  CandidateNodes(Gang gang, SecondChoices secondChoices) {
    this.gang = gang;
    this.secondChoices = secondChoices;
    this.gpus = new HashMap<>(gang.gpus());
    this.taken = new HashMap<>(gang.taken());
    gang.spares().gpus().forEach((node, held) -> gpus.merge(node, held, Long::sum));
    gang.spares().held().forEach((node, held) -> taken.merge(node, held, Amounts::plus));
    Map<String, Integer> before = new HashMap<>();
    gang.pods().stream()
        .map(PodView::node)
        .filter(node -> !node.isEmpty())
        .forEach(node -> before.merge(node, 1, Integer::sum));
    packed = Math.max(1, most(before));
    faulty =
        gang.faults().stream()
            .filter(FaultView::fences)
            .map(FaultView::node)
            .collect(Collectors.toUnmodifiableSet());
  }

  private static int most(Map<String, Integer> pods) {
    return pods.values().stream().mapToInt(Integer::intValue).max().orElse(0);
  }

  /** A pod of the gang is there. */
  void occupy(String node, long gpusThere, Amounts amounts) {
    gpus.merge(node, gpusThere, Long::sum);
    taken.merge(node, amounts, Amounts::plus);
    podsOn.merge(node, 1, Integer::sum);
  }

  /** Why nodes were refused, by name. */
  Map<String, String> refused() {
    return refused;
  }

  /** Those for a replica type. */
  List<Candidate> of(Replica replica, Rails rails) {
    int most = replica.needs().onePerNode() ? 1 : Math.max(packed, most(podsOn));
    List<Candidate> candidates = new ArrayList<>();
    for (NodeView node : gang.nodes().values()) {
      String why = refusal(node, replica, rails);
      if (!why.isEmpty()) {
        refused.put(node.name(), why);
        continue;
      }
      long fit =
          NodeFit.places(
              node,
              replica,
              gpus.getOrDefault(node.name(), 0L),
              taken.getOrDefault(node.name(), Amounts.NONE));
      candidates.add(
          new Candidate(
              node.name(),
              (int) Math.min(Math.min(fit, rails.places(node)), most),
              !secondChoices.reason(node).isEmpty()
                  || (most == 1 && podsOn.getOrDefault(node.name(), 0) > 0),
              gang.spares().warm().contains(node.name()),
              NodeIncidentHistory.parse(node.incidents()).entries().size()));
    }
    return candidates;
  }

  private String refusal(NodeView node, Replica replica, Rails rails) {
    String closed = NodeFit.closed(node, gang.leaving());
    if (!closed.isEmpty()) {
      return closed;
    }
    if (faulty.contains(node.name())) {
      return "faulty";
    }
    if (node.owner() != null) {
      return "left to " + Objects.requireNonNull(node.owner()).who();
    }
    String off = NodeFit.keptOff(node, replica);
    if (!off.isEmpty()) {
      return off;
    }
    if (replica.needs().onePerNode() && podsOn.getOrDefault(node.name(), 0) > 0) {
      return "has a pod of the job";
    }
    long used = gpus.getOrDefault(node.name(), 0L);
    Amounts held = taken.getOrDefault(node.name(), Amounts.NONE);
    return NodeFit.places(node, replica, used, held) > 0
        ? rails.keptOff(node)
        : NodeFit.shortOf(node, replica, used, held, rails::title);
  }
}
