package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
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

/**
 * Invariant 50: a job has no more warm spares than it requests and its policy allows, none that
 * outlives its use or its node, and none that keeps a pod of its gang waiting. Bound: the number at
 * each moment; the rest in the calm, once it has been so for a minute, unless the API server
 * removes no spares for good. Why: a spare holds GPUs that no other pod gets, and a controller that
 * may make pods must not make many.
 */
final class Spares extends Check {
  private static final int TOO_LONG_SECONDS = 60;

  /** After so long every leader has seen it. */
  private static final Duration HEARD = Duration.ofSeconds(25);

  private final Policy policy;
  private final Answers answers;
  private final Evidence evidence;
  private final Map<String, Instant> since = new HashMap<>();

  /** When a node was last seen not to be Ready, by its name. */
  private final Map<String, Instant> away = new HashMap<>();

  Spares(World world, Invariants all, Policy policy, Answers answers, Evidence evidence) {
    super(world, all, Invariant.SPARES);
    this.policy = policy;
    this.answers = answers;
    this.evidence = evidence;
    world.spares().watch(this::changed);
    world
        .nodes()
        .watch(
            c ->
                changed(
                    c.object().meta().name(),
                    c.before() != null
                        && c.before().readiness() == Readiness.READY
                        && c.after() != null
                        && c.after().readiness() == Readiness.READY));
  }

  private void changed(Change<SpareObject> change) {
    SpareObject made = change.after();
    if (change.before() != null || made == null) {
      return;
    }
    long count =
        world.spares().list().stream()
            .filter(s -> s.meta().owner().equals(made.meta().owner()))
            .filter(s -> !isLost(s))
            .count();
    // A job may be deleted while the call is under way; what is then made goes with it.
    int asked =
        world
            .jobs()
            .find(made.job().toString())
            .filter(job -> job.meta().uid().equals(made.meta().owner()))
            .map(job -> job.setup().spares())
            .orElse(policy.maxSpares());
    if (count > Math.min(asked, policy.maxSpares())) {
      broken(
          "%s is spare %d of job %s, which asks for %d under a policy that allows %d"
              .formatted(made.meta().name(), count, made.job(), asked, policy.maxSpares()));
    }
  }

  /** Deleted, and its node confirms no end, or did not a moment ago (seed 13614). */
  private boolean isLost(SpareObject spare) {
    return spare.meta().terminating()
        && (world.nodes().find(spare.node()).filter(n -> n.readiness() == Readiness.READY).isEmpty()
            || away.getOrDefault(spare.node(), Instant.MIN).plus(HEARD).isAfter(now()));
  }

  private void changed(String node, boolean ready) {
    if (!ready) {
      away.put(node, now());
    }
  }

  @Override
  boolean isWaiting() {
    return !since.isEmpty();
  }

  @Override
  void look() {
    Map<String, Instant> before = Map.copyOf(since);
    since.clear();
    for (SpareObject spare : world.spares().list()) {
      Optional<String> wrong = wrong(spare);
      boolean refused = answers.refusedForGood(Call.REMOVE_SPARE, spare.job());
      if (wrong.isPresent() && !refused) {
        Instant first = before.getOrDefault(spare.meta().uid(), now());
        since.put(spare.meta().uid(), first);
        if (first.plusSeconds(TOO_LONG_SECONDS).isBefore(now())) {
          broken(
              "spare %s on %s is there since %s although %s"
                  .formatted(spare.meta().name(), spare.node(), first, wrong.get()));
        }
      }
    }
  }

  private Optional<String> wrong(SpareObject spare) {
    JobObject job = world.jobs().find(spare.job().toString()).orElse(null);
    if (spare.meta().terminating()) {
      return Optional.empty();
    }
    if (job == null || !job.meta().uid().equals(spare.meta().owner())) {
      return Optional.of("its job is gone");
    }
    if (!(job.optIn() instanceof OptIn.Yes) || job.view().finish() != Finish.NOT_FINISHED) {
      return Optional.of("its job has ended or opted out");
    }
    if (job.view().suspended() && open(job).isEmpty()) {
      return Optional.of("its job is suspended");
    }
    if (open(job).stream().anyMatch(Spares::isHeld)) {
      return Optional.of("the recovery of its job is held");
    }
    if (!spare.template().equals(job.view().spares().template())) {
      return Optional.of("the template of its job is another one");
    }
    NodeObject node = world.nodes().find(spare.node()).orElse(null);
    if (!spare.node().isEmpty()
        && (node == null
            || node.unschedulable()
            || node.readiness() != Readiness.READY
            || isFaulty(node))) {
      return Optional.of("no pod can take its place");
    }
    return world.podsOf(job).stream()
        .filter(pod -> pod.node().isEmpty() && !pod.meta().terminating())
        .findFirst()
        .map(pod -> "pod %s of its gang has no place".formatted(pod.meta().name()));
  }

  private static boolean isHeld(RecoveryObject recovery) {
    return recovery.status() != null && recovery.status().phase() == RecoveryPhase.HELD;
  }

  private boolean isFaulty(NodeObject node) {
    return world.faults().list().stream()
        .filter(f -> f.view().node().equals(node.meta().name()) && f.view().fences())
        // What a reboot has cleared keeps no pod off the node (seed 184).
        .anyMatch(evidence::stands);
  }
}
