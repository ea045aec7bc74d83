package dev.rekindle.controller.placement;

import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.PlacementPlan.Replacement;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.placement.plan.Candidate;
import dev.rekindle.controller.placement.plan.GangPlan;
import dev.rekindle.controller.placement.plan.GangPlanner;
import dev.rekindle.controller.placement.plan.Seat;
import dev.rekindle.controller.placement.topology.Fabric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Plans nodes for the pods of a gang whose nodes it must leave. Replica types are planned one after
 * the other: first those with volumes that not all nodes reach, then those with the most GPUs.
 */
public final class Replacements {
  private final Gang gang;
  private final Fabric fabric;
  private final CandidateNodes nodes;
  private final PlanSummary summary;
  private final NetworkDemand demand;
  private final UnlistedResources unlisted;

  /**
   * What came of planning.
   *
   * @param plan where the pods go; absent where they do not all find a place
   * @param missing what is missing for that, for people; empty where nothing is
   * @param uncounted what was not counted, for people; empty where all was
   */
  public record Result(@Nullable PlacementPlan plan, String missing, String uncounted) {
    /** The plan, if there is one. */
    public Optional<PlacementPlan> planned() {
      return Optional.ofNullable(plan);
    }
  }

  private Replacements(Gang gang, List<String> topologyKeys) {
    this.gang = gang;
    List<PodView> staying = gang.pods().stream().filter(p -> !leaves(p)).toList();
    this.fabric =
        Fabric.of(
            topologyKeys,
            gang.nodes().values(),
            gang.pods().stream().map(PodView::node).filter(n -> !n.isEmpty()).toList());
    SecondChoices secondChoices = new SecondChoices(gang, fabric, staying);
    this.nodes = new CandidateNodes(gang, secondChoices);
    this.summary = new PlanSummary(gang, fabric, secondChoices, nodes.refused());
    for (PodView pod : staying) {
      nodes.occupy(pod.node(), pod.gpus(), pod.requests());
    }
    List<PodView> going = gang.pods().stream().filter(this::leaves).toList();
    this.demand = NetworkDemand.of(gang.job(), gang.pods(), going, gang.networks());
    this.unlisted = UnlistedResources.of(gang.job().replicas(), gang.nodes().values());
  }

  /**
   * The plan, by the labels that a policy names, or the built-in ones where it names none. The room
   * of other jobs' spares is used only where there is no other.
   */
  public static Result plan(Gang gang, List<String> topologyKeys) {
    Result result = new Replacements(gang, topologyKeys).run();
    return result.plan() == null && gang.spares().othersHold()
        ? new Replacements(gang.withSpares(gang.spares().withoutOthers()), topologyKeys).run()
        : result;
  }

  private boolean leaves(PodView pod) {
    return pod.node().isEmpty() || gang.leaving().contains(pod.node());
  }

  private Result run() {
    List<PodView> ranks = new ArrayList<>(gang.pods());
    ranks.sort(
        Comparator.comparing((PodView p) -> !p.role().equals("master"))
            .thenComparingInt(PodView::index)
            .thenComparing(PodView::name));
    Map<String, String> places = new HashMap<>();
    Map<String, Replacement> moves = new HashMap<>();
    List<Replica> replicas =
        unlisted.without(gang.job().replicas()).stream()
            .sorted(
                Comparator.comparing((Replica r) -> r.needs().volumes().isEmpty())
                    .thenComparing(Comparator.comparingLong(Replica::gpus).reversed()))
            .toList();
    int leafGroups = 0;
    AddressLedger ledger = new AddressLedger(demand.leaving());
    for (Replica bare : replicas) {
      Rails rails = Rails.of(bare, demand, ledger);
      Replica replica = rails.replica();
      List<Seat> seats = new ArrayList<>();
      for (PodView pod : ranks) {
        String placed = places.get(pod.name());
        boolean vacated = placed == null && leaves(pod);
        if (!vacated || isOf(pod, replica)) {
          seats.add(new Seat(pod.name(), placed == null ? pod.node() : placed, vacated));
        }
      }
      int vacancies = (int) seats.stream().filter(Seat::vacated).count();
      if (vacancies > 0 && !rails.blocked().isEmpty()) {
        return new Result(null, "the pods cannot be made: " + rails.blocked(), "");
      }
      List<Candidate> candidates = vacancies == 0 ? List.of() : nodes.of(replica, rails);
      Optional<GangPlan> plan = plan(seats, candidates, rails);
      if (plan.isEmpty()) {
        return new Result(
            null, summary.missing(replica, vacancies, candidates) + unlisted.note(), "");
      }
      leafGroups = plan.get().leafGroups();
      for (GangPlan.Move move : plan.get().moves()) {
        places.put(move.pod(), move.to());
        moves.put(move.pod(), new Replacement(move.pod(), move.from(), move.to(), move.hops()));
        nodes.occupy(move.to(), replica.gpus(), replica.needs().requests());
      }
    }
    List<Replacement> inOrder =
        ranks.stream().map(p -> moves.get(p.name())).filter(Objects::nonNull).toList();
    return new Result(summary.of(inOrder, leafGroups), "", unlisted.note());
  }

  private static boolean isOf(PodView pod, Replica replica) {
    return replica.type().equalsIgnoreCase(pod.role());
  }

  /**
   * The plan that keeps to the addresses that nodes share. Where the nearest nodes are too many for
   * their pools, those of them that were chosen first are kept and others searched for beyond:
   * near, and not always the nearest that there is.
   */
  private Optional<GangPlan> plan(List<Seat> seats, List<Candidate> all, Rails rails) {
    List<Candidate> candidates = all;
    while (true) {
      Optional<GangPlan> plan = GangPlanner.plan(fabric, seats, candidates);
      if (plan.isEmpty()) {
        return plan;
      }
      Rails trial = rails.copy();
      Map<String, Integer> given = new HashMap<>();
      boolean enough = true;
      for (GangPlan.Move move : plan.get().moves()) {
        boolean found = trial.allot(Objects.requireNonNull(gang.nodes().get(move.to())));
        enough &= found;
        if (found) {
          given.merge(move.to(), 1, Integer::sum);
        }
      }
      if (enough) {
        plan.get().moves().forEach(m -> rails.allot(Objects.requireNonNull(node(m.to()))));
        return plan;
      }
      candidates = within(candidates, given, trial);
    }
  }

  private @Nullable NodeView node(String name) {
    return gang.nodes().get(name);
  }

  /** At least one place less than before: no plan has used each that is left. */
  private List<Candidate> within(
      List<Candidate> candidates, Map<String, Integer> given, Rails rails) {
    List<Candidate> left = new ArrayList<>();
    for (Candidate candidate : candidates) {
      NodeView node = Objects.requireNonNull(node(candidate.node()));
      long places =
          Math.min(
              candidate.places(), given.getOrDefault(candidate.node(), 0) + rails.places(node));
      if (places > 0) {
        left.add(candidate.withPlaces((int) places));
      } else {
        nodes.refused().put(node.name(), rails.keptOff(node));
      }
    }
    return left;
  }
}
