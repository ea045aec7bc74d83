package dev.rekindle.simulator.chaos;

import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PolicyObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A policy that leaves everything alone, and that was granted to another namespace than that of the
 * jobs. Their owners name it in mid-run, and it must have no effect.
 */
final class LaxPolicy {
  private static final String NAME = "lax";
  private static final int MUCH = 1_000;

  private final Simulation simulation;
  private final RandomGenerator random;
  private final Policy policy;
  private final Tenants.Listener listener;

  LaxPolicy(
      Simulation simulation, RandomGenerator random, Policy policy, Tenants.Listener listener) {
    this.simulation = simulation;
    this.random = random;
    this.policy = policy;
    this.listener = listener;
  }

  /**
   * In one of eight seeds; half of its jobs name what they named before once the calm comes, and
   * the others still name it.
   */
  void plan(Instant from, Instant to) {
    if (random.nextInt(8) > 0) {
      return;
    }
    World world = simulation.world();
    var _ =
        world.policies().create(new PolicyObject(Meta.draft("", NAME, ""), lax(), Scorecard.NONE));
    long window = Duration.between(from, to).toMillis();
    for (JobObject job : world.jobs().list()) {
      if (random.nextBoolean()) {
        simulation.at(from.plusMillis(random.nextLong(window) / 2), () -> name(job));
      }
    }
  }

  /** Whether the job names it permanently. Not drawn, so that all seeds stay the same. */
  boolean isKept(JobObject job) {
    return job.policy().equals(NAME) && job.setup().checkpointEvery() % 2 == 0;
  }

  private void name(JobObject job) {
    World world = simulation.world();
    if (world
        .jobs()
        .find(job.meta().key())
        .filter(j -> j.meta().uid().equals(job.meta().uid()))
        .isPresent()) {
      listener.did(
          Disturbance.POLICY_LAX, job.meta().key(), "its user names a policy that is for others");
      var _ = world.jobs().patch(job.meta().key(), j -> j.withPolicy(NAME));
    }
  }

  private Policy lax() {
    return policy.with(
        b ->
            b.mode(Mode.AUTO)
                .maxRestarts(MUCH)
                .budgetWindow(Duration.ofMinutes(1))
                .maxAttempts(MUCH)
                .maxFencedNodes(MUCH)
                .maxFencedPercent(null)
                .maxFencedPerNamespace(MUCH)
                .fenceLemons(false)
                .paused(false)
                .namespaces(List.of("others")));
  }
}
