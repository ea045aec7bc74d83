package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.PlacementPlan.Refusal;
import dev.rekindle.api.PlacementPlan.Replacement;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.placement.Exclusions;
import dev.rekindle.controller.placement.Gang;
import dev.rekindle.controller.placement.Replacements;
import dev.rekindle.controller.placement.SpareRoom;
import dev.rekindle.controller.recovery.Decision.Note;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that a restart in place replaces pods on: chosen before anything is frozen, written
 * into the templates as a preference before a pod is deleted. A preference that the API server
 * refuses costs the nearness and nothing else.
 */
final class ReplacementPlan {
  private ReplacementPlan() {}

  /** What came of planning; empty where no pod loses its node. */
  static Optional<Replacements.Result> of(RecoverySnapshot s, JobView job, Policy policy) {
    List<String> leaving = Exclusions.of(cause(s), s.nodes(), s.faults());
    long lost = s.pods().stream().filter(p -> leaving.contains(p.node())).count();
    return lost == 0 || lost > PlacementPlan.MOST_REPLACEMENTS
        ? Optional.empty()
        : Optional.of(
            Replacements.plan(
                new Gang(
                    job,
                    s.pods(),
                    leaving,
                    s.nodes(),
                    s.faults(),
                    s.taken(),
                    s.held(),
                    Avoidance.of(s),
                    s.networks(),
                    SpareRoom.of(s.spares(), job.uid())),
                policy.topologyKeys()));
  }

  /**
   * The status with the plan, and what is said of it.
   *
   * @param uncounted what the plan does not count, for people
   */
  static Decision.Move stored(
      RecoveryStatus status, PlacementPlan placement, String uncounted, Instant now) {
    String detail = describe(placement) + uncounted;
    Plan plan = Objects.requireNonNull(status.plan()).withPlacement(placement);
    return new Decision.Move(
        RecoveryStatusBuilder.withDetail(status.withPlan(plan), detail, now),
        List.of(new Note(Reason.PLACEMENT_PLANNED, detail, "")));
  }

  /**
   * The plan, and of the former one the pods that are where it wanted them, and stay. The plan
   * alone where both are more than one may have: a pod that was cut off would be planned for again
   * and again.
   */
  static PlacementPlan withMade(RecoverySnapshot s, PlacementPlan next) {
    PlacementPlan former = InPlace.plan(s).placement();
    if (former == null || !former.levels().equals(next.levels())) {
      return next;
    }
    Map<String, Replacement> made = byPod(former);
    Map<String, Replacement> planned = byPod(next);
    List<Replacement> all =
        s.pods().stream()
            .sorted(Comparator.comparingInt(PodView::rank))
            .flatMap(
                p ->
                    Optional.ofNullable(planned.remove(p.name()))
                        .or(() -> Optional.ofNullable(made.remove(p.name())).filter(at(p.node())))
                        .stream())
            .toList();
    return all.size() > PlacementPlan.MOST_REPLACEMENTS ? next : next.withReplacements(all);
  }

  private static Map<String, Replacement> byPod(PlacementPlan plan) {
    Map<String, Replacement> moves = new HashMap<>();
    plan.replacements().forEach(r -> moves.put(r.pod(), r));
    return moves;
  }

  private static Predicate<Replacement> at(String node) {
    return move -> move.to().equals(node);
  }

  /**
   * Whether nodes are to be chosen, at first or again: a pod loses its node for which none is
   * planned, or a planned one takes pods no more, or is faulty.
   */
  static boolean isWanted(
      RecoveryView recovery,
      Collection<PodView> pods,
      Map<String, NodeView> nodes,
      Collection<FaultView> faults) {
    RecoveryStatus status = recovery.status();
    Plan plan = status == null ? null : status.plan();
    if (status == null || plan == null || status.cause() == null) {
      return false;
    }
    return plan.restart() == null
        || (plan.restart() == RestartWay.IN_PLACE
            && isOutdated(
                plan.placement(),
                pods,
                Exclusions.of(cause(status), nodes, faults),
                nodes,
                faults));
  }

  static boolean isOutdated(RecoverySnapshot s) {
    return isOutdated(
        InPlace.plan(s).placement(),
        s.pods(),
        Exclusions.of(cause(s), s.nodes(), s.faults()),
        s.nodes(),
        s.faults());
  }

  private static boolean isOutdated(
      @Nullable PlacementPlan placement,
      Collection<PodView> pods,
      Collection<String> leaving,
      Map<String, NodeView> nodes,
      Collection<FaultView> faults) {
    Set<String> lost =
        pods.stream()
            .filter(p -> leaving.contains(p.node()) && !p.terminating())
            .map(PodView::name)
            .collect(Collectors.toSet());
    if (lost.isEmpty() || lost.size() > PlacementPlan.MOST_REPLACEMENTS) {
      return false;
    }
    if (placement == null) {
      return true;
    }
    Set<String> planned = new HashSet<>();
    placement.replacements().forEach(r -> planned.add(r.pod()));
    return !planned.containsAll(lost)
        || placement.replacements().stream()
            .filter(r -> lost.contains(r.pod()))
            .map(Replacement::to)
            .anyMatch(
                n ->
                    leaving.contains(n)
                        || !takesPods(nodes.get(n))
                        || Exclusions.faulty(n, faults));
  }

  private static boolean takesPods(@Nullable NodeView node) {
    return node != null
        && node.readiness() == NodeView.Readiness.READY
        && !node.unschedulable()
        && node.owner() == null;
  }

  /** The write of the preference, unless it is there or was refused. */
  static Optional<Effect> preference(RecoverySnapshot s, JobView job, Instant now) {
    PlacementPlan placement = InPlace.plan(s).placement();
    if (placement == null || s.failures().of(CallKind.PLAN_NODES, now).isPresent()) {
      return Optional.empty();
    }
    List<String> hostnames =
        placement.nodes().stream()
            .map(n -> Optional.ofNullable(s.nodes().get(n)).map(NodeView::hostname).orElse(n))
            .distinct()
            .sorted()
            .toList();
    return job.plannedNodes().equals(hostnames)
        ? Optional.empty()
        : Optional.of(new Effect.PlanNodes(hostnames));
  }

  /** Where a pod that has come to a place was to go, if it is elsewhere. */
  static String instead(RecoverySnapshot s, PodView pod) {
    PlacementPlan placement = status(s).plan() == null ? null : InPlace.plan(s).placement();
    return placement == null || placement.nodes().contains(pod.node())
        ? ""
        : placement.replacements().stream()
            .filter(r -> r.pod().equals(pod.name()))
            .findFirst()
            .map(r -> ", not on %s as planned".formatted(r.to()))
            .orElse("");
  }

  private static String describe(PlacementPlan plan) {
    String moves =
        plan.replacements().stream()
            .limit(4)
            .map(r -> "%s from %s to %s (%s)".formatted(r.pod(), r.from(), r.to(), far(plan, r)))
            .collect(Collectors.joining(", "));
    int more = plan.replacements().size() - 4;
    String refused =
        plan.refused().stream()
            .limit(3)
            .map(ReplacementPlan::refusal)
            .collect(Collectors.joining("; "));
    return "%s%s; the gang spans %s then%s%s"
        .formatted(
            moves,
            more > 0 ? " and %d more".formatted(more) : "",
            plan.leafGroups() == 1 ? "1 leaf group" : plan.leafGroups() + " leaf groups",
            plan.levels().isEmpty()
                ? "; no label says where nodes are in the network, so all count as equally near"
                : "",
            refused.isEmpty() ? "" : "; passed over: " + refused);
  }

  private static String refusal(Refusal refusal) {
    return refusal.node() + ", " + refusal.reason();
  }

  private static String far(PlacementPlan plan, Replacement move) {
    if (plan.levels().isEmpty()) {
      return "distance unknown";
    }
    if (move.hops() == 0) {
      return "same " + plan.levels().getFirst();
    }
    return move.hops() < plan.levels().size()
        ? "same " + plan.levels().get(move.hops())
        : "across all levels";
  }
}
