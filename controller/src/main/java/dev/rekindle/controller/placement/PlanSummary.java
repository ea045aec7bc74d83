package dev.rekindle.controller.placement;

import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.PlacementPlan.Refusal;
import dev.rekindle.api.PlacementPlan.Replacement;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.placement.plan.Candidate;
import dev.rekindle.controller.placement.topology.Fabric;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What is said of a plan: the moves, and the nodes that were passed over for them. */
final class PlanSummary {
  private final Gang gang;
  private final Fabric fabric;
  private final SecondChoices secondChoices;
  private final Map<String, String> refused;

  /**
   * For a gang.
   *
   * @param refused why nodes were refused, by name
   */
  PlanSummary(Gang gang, Fabric fabric, SecondChoices secondChoices, Map<String, String> refused) {
    this.gang = gang;
    this.fabric = fabric;
    this.secondChoices = secondChoices;
    this.refused = refused;
  }

  /** Of the refused ones those are listed that are as near as a chosen one. */
  PlacementPlan of(List<Replacement> moves, int leafGroups) {
    int most = moves.stream().mapToInt(Replacement::hops).max().orElse(0);
    Set<String> chosen = moves.stream().map(Replacement::to).collect(Collectors.toSet());
    Map<String, String> passedOver = new TreeMap<>(refused);
    gang.pods().forEach(p -> passedOver.remove(p.node()));
    for (NodeView node : gang.nodes().values()) {
      String why = secondChoices.reason(node);
      if (!why.isEmpty() && !chosen.contains(node.name()) && !isOfGang(node.name())) {
        passedOver.putIfAbsent(node.name(), "second choice: " + why);
      }
    }
    List<Refusal> nearest =
        passedOver.entrySet().stream()
            .filter(e -> distance(e.getKey(), moves) <= most)
            .sorted(
                Comparator.comparingInt(
                        (Map.Entry<String, String> e) -> distance(e.getKey(), moves))
                    .thenComparing(Map.Entry::getKey))
            .limit(PlacementPlan.MOST_REFUSED)
            .map(e -> new Refusal(e.getKey(), e.getValue()))
            .toList();
    return new PlacementPlan(
        fabric.levels(),
        moves,
        most,
        moves.stream().mapToInt(Replacement::hops).sum(),
        leafGroups,
        nearest,
        passedOver.size());
  }

  private boolean isOfGang(String node) {
    return gang.pods().stream().anyMatch(p -> p.node().equals(node));
  }

  private int distance(String node, List<Replacement> moves) {
    return moves.stream()
        .map(Replacement::from)
        .filter(fabric::has)
        .mapToInt(from -> fabric.distance(from, node))
        .min()
        .orElse(fabric.height());
  }

  /** What is missing where the pods of a replica type do not all find a place, for people. */
  String missing(Replica replica, int vacancies, Collection<Candidate> candidates) {
    long places = candidates.stream().mapToLong(Candidate::places).sum();
    Map<String, Long> why =
        refused.values().stream()
            .collect(
                Collectors.groupingBy(
                    reason -> reason.replaceFirst(":.*", ""), TreeMap::new, Collectors.counting()));
    String nodes =
        why.entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .limit(PlacementPlan.MOST_REFUSED)
            .map(e -> e.getValue() + " " + e.getKey())
            .collect(Collectors.joining(", "));
    return "%s of type %s would lose %s, and there is a place for %d%s"
        .formatted(
            vacancies == 1 ? "1 pod" : vacancies + " pods",
            replica.type(),
            vacancies == 1 ? "its node" : "their nodes",
            places,
            nodes.isEmpty() ? "" : "; nodes refused: " + nodes);
  }
}
