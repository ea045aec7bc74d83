package dev.rekindle.simulator.chaos;

import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.PlacementPlan.Replacement;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.StallFinding;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.SpareObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 30, of jobs with warm spares: a plan takes the node of a warm spare of the job before
 * other nodes of the same leaf group. Bound: the node and the spare have been so for some seconds,
 * and nothing speaks against the node. Why: the spare holds the GPUs, and has the image, for this
 * moment only.
 */
final class WarmNodes extends Check {
  private static final Duration HEARD = Duration.ofSeconds(10);

  private final Places places;

  /** When a spare last changed, by its UID. */
  private final Map<String, Instant> changed = new HashMap<>();

  WarmNodes(World world, Invariants all, Places places) {
    super(world, all, Invariant.NEAREST);
    this.places = places;
    world.spares().watch(this::spareChanged);
  }

  private void spareChanged(Change<SpareObject> change) {
    changed.put(change.object().meta().uid(), now());
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    PlacementPlan plan = PlanChange.of(before, after);
    JobObject job = jobOf(before).orElse(null);
    if (plan == null || after == null || job == null) {
      return;
    }
    for (Replacement move : plan.replacements()) {
      NodeObject to = world.nodes().find(move.to()).orElse(null);
      if (to == null || holdsSpare(move.to(), job)) {
        continue;
      }
      for (SpareObject spare : world.spares().all()) {
        if (isWarm(spare, job)
            && !PlanChange.nodes(after).contains(spare.node())
            && !isBlamed(spare.node(), after)) {
          world
              .nodes()
              .find(spare.node())
              .filter(node -> node.setup().leaf().equals(to.setup().leaf()))
              .filter(node -> places.isSteadyFor(node, HEARD))
              .filter(node -> places.takes(node, job, true))
              .filter(node -> places.isFit(node, job))
              .filter(node -> !Places.isRankZero(move.pod()) || places.reaches(node, job))
              .ifPresent(
                  node ->
                      broken(
                          "%s of job %s is to go to %s, and not to %s with warm spare %s: %s"
                              .formatted(
                                  move.pod(),
                                  job.key(),
                                  move.to(),
                                  spare.node(),
                                  spare.meta().name(),
                                  plan)));
        }
      }
    }
  }

  /** Whether any spare of the job is there: a plan may be of a moment in which it was warm. */
  private boolean holdsSpare(String node, JobObject job) {
    return world.spares().list().stream()
        .anyMatch(s -> s.node().equals(node) && s.meta().owner().equals(job.meta().uid()));
  }

  private boolean isWarm(SpareObject spare, JobObject job) {
    return spare.meta().owner().equals(job.meta().uid())
        && spare.view().warm()
        && changed.getOrDefault(spare.meta().uid(), Instant.MIN).plus(HEARD).isBefore(now());
  }

  /** Whether a stall, or an attempt that failed, speaks against the node. */
  private static boolean isBlamed(String node, RecoveryStatus status) {
    Optional<StallFinding> stall =
        Optional.ofNullable(status.cause()).map(RecoveryStatus.Cause::stall);
    return status.resumes().stream().anyMatch(attempt -> attempt.node().equals(node))
        || stall
            .filter(s -> s.culprits().stream().anyMatch(c -> c.node().equals(node)))
            .isPresent();
  }
}
