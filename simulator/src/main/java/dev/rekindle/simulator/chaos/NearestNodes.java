package dev.rekindle.simulator.chaos;

import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.PlacementPlan.Replacement;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 30: no plan moves a pod out of its leaf group while a node of the group is free and
 * suitable, nor to a node unlike the others, of another driver say, or behind a broken switch,
 * while another one is. Bound: the node has been so for some seconds, as watches lag. Why:
 * otherwise each training step crosses more switches than necessary, for weeks, and mixed drivers
 * compute, or fail, otherwise.
 */
final class NearestNodes extends Check {
  private static final Duration HEARD = Duration.ofSeconds(10);

  /** So many nodes of a leaf group with the same rail down are a switch that is broken. */
  private static final int SAME_RAIL = 3;

  private static final String PORT_DOWN = "NIC-PORT-DOWN";

  /** The time in which a watch was broken: ports may be up again (seed 95523073). */
  private static final Duration LAGS = Duration.ofSeconds(30);

  private final Places places;

  /** When a port of a leaf group was last said to be up again, by the name of its leaf. */
  private final Map<String, Instant> portsChanged = new HashMap<>();

  private boolean policyDeleted;

  NearestNodes(World world, Invariants all, Places places) {
    super(world, all, Invariant.NEAREST);
    this.places = places;
    world.policies().watch(change -> policyDeleted |= change.after() == null);
    world.faults().watch(this::faultChanged);
  }

  private void faultChanged(Change<FaultObject> change) {
    FaultObject before = change.before();
    if (before != null && before.view().code().equals(PORT_DOWN)) {
      world
          .nodes()
          .find(before.view().node())
          .ifPresent(node -> portsChanged.put(leaf(node), now()));
    }
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    PlacementPlan plan = PlanChange.of(before, after);
    if (plan == null) {
      return;
    }
    if (plan.levels().isEmpty() && policyDeleted) {
      // The policy names the label of the leaf groups; without it there is one group for all.
      return;
    }
    JobObject job = jobOf(before).orElse(null);
    if (job == null) {
      return;
    }
    List<String> worse =
        plan.replacements().stream()
            .map(Replacement::to)
            .filter(to -> isUnlike(to, job) || isBehindABrokenSwitch(to))
            .toList();
    List<String> better = worse.isEmpty() ? List.of() : likelier(PlanChange.nodes(after), job);
    // Where the better ones do not suffice for all, none is preferred (seed 19654).
    if (!worse.isEmpty() && better.size() >= worse.size()) {
      broken(
          "pods of job %s are to go to %s, unlike the others or behind a broken switch, passing over %s: %s"
              .formatted(job.key(), worse, better, plan));
    }
    for (Replacement move : plan.replacements()) {
      Optional<NodeObject> from = world.nodes().find(move.from());
      Optional<NodeObject> to = world.nodes().find(move.to());
      if (from.isPresent() && to.isPresent() && !leaf(from.get()).equals(leaf(to.get()))) {
        nearer(leaf(from.get()), PlanChange.nodes(after), job, move.pod())
            .ifPresent(
                node ->
                    broken(
                        "%s of job %s is to go from %s to %s, passing over %s: %s"
                            .formatted(move.pod(), job.key(), move.from(), move.to(), node, plan)));
      }
    }
  }

  /** Whether three nodes of its leaf group were known to have the same rail down. */
  private boolean isBehindABrokenSwitch(String name) {
    String leaf = world.nodes().find(name).map(NearestNodes::leaf).orElse("");
    return portsDown(leaf, now().minus(HEARD)) >= SAME_RAIL;
  }

  /** Nodes of the leaf group with a port down, reported before then. */
  private long portsDown(String leaf, Instant then) {
    return world.faults().list().stream()
        .filter(f -> f.view().active() && f.view().code().equals(PORT_DOWN))
        .filter(f -> f.meta().created().isBefore(then))
        .map(f -> f.view().node())
        .distinct()
        .filter(node -> world.nodes().find(node).filter(n -> leaf(n).equals(leaf)).isPresent())
        .count();
  }

  private boolean isUnlike(String node, JobObject job) {
    return world
        .nodes()
        .find(node)
        .filter(n -> places.isSteadyFor(n, HEARD) && !places.isLikeTheOthers(n, job))
        .isPresent();
  }

  /** Nodes like the others, anywhere, of leaf groups in which nothing is wrong. */
  private List<String> likelier(Set<String> taken, JobObject job) {
    Set<String> troubled =
        world.nodes().list().stream()
            .filter(
                n ->
                    n.readiness() != Readiness.READY
                        || !places.isSteadyFor(n, HEARD)
                        || isFaulty(n))
            .map(NearestNodes::leaf)
            .collect(Collectors.toSet());
    return world.nodes().list().stream()
        .filter(n -> !troubled.contains(leaf(n)))
        .filter(n -> places.takes(n, job, true) && places.isFit(n, job) && !keepsApart(job, n))
        .filter(n -> places.reaches(n, job))
        .map(n -> n.meta().name())
        .filter(n -> !taken.contains(n))
        .toList();
  }

  private boolean isFaulty(NodeObject node) {
    return world.faults().list().stream()
        .anyMatch(fault -> fault.view().node().equals(node.meta().name()));
  }

  /** A gang with a node for each pod is not packed where there is another place. */
  private boolean keepsApart(JobObject job, NodeObject node) {
    List<String> nodes =
        world.podsOf(job).stream().map(PodObject::node).filter(n -> !n.isEmpty()).toList();
    return nodes.contains(node.meta().name()) && Set.copyOf(nodes).size() == nodes.size();
  }

  private static String leaf(NodeObject node) {
    return node.setup().leaf();
  }

  private Optional<String> nearer(String leaf, Set<String> taken, JobObject job, String pod) {
    int silent = 0;
    String free = null;
    for (NodeObject node : world.nodes().all()) {
      if (!leaf(node).equals(leaf)) {
        continue;
      }
      // Several that went silent may share a switch: then their leaf group is a second choice.
      silent += node.readiness() == Readiness.READY && places.isSteadyFor(node, HEARD) ? 0 : 1;
      if (places.isSteadyFor(node, HEARD)
          && places.takes(node, job, true)
          && !taken.contains(node.meta().name())
          && !keepsApart(job, node)
          && (!Places.isRankZero(pod) || places.reaches(node, job))
          && places.isFit(node, job)) {
        free = node.meta().name();
      }
    }
    Instant changed = portsChanged.get(leaf);
    boolean broken =
        silent > 1
            || portsDown(leaf, Instant.MAX) >= SAME_RAIL
            || (changed != null && changed.plus(LAGS).isAfter(now()));
    return broken ? Optional.empty() : Optional.ofNullable(free);
  }
}
