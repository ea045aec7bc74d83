package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PolicyObject;
import dev.rekindle.simulator.world.RecoveryObject;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A person intervenes at the moment when a recovery has stopped a job: pauses the policy, or allows
 * no more restarts, and in half of those cases deletes the recovery as well. For some minutes, also
 * when everything else is calm by then.
 */
final class PolicyInTheAct extends DisturbanceSource {
  private static final int SEEDS = 10;
  private static final Duration LEAST = Duration.ofMinutes(2);
  private static final int MORE_MILLIS = 100_000;

  private UnaryOperator<Policy> edit = UnaryOperator.identity();
  private @Nullable Policy before;
  private boolean done;

  PolicyInTheAct(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** In one of ten seeds, with the first recovery that has drained its gang. */
  void plan(Instant to) {
    calm = to;
    if (random.nextInt(SEEDS) == 0) {
      world.recoveries().watch(this::moved);
    }
  }

  /** Whether the change is still to be reverted. */
  boolean unfinished() {
    return before != null;
  }

  private void moved(Change<RecoveryObject> change) {
    RecoveryObject after = change.after();
    if (after != null && !done && phase(after) == RecoveryPhase.PLANNING) {
      done = true;
      JobKey job = after.view().job();
      simulation.at(
          simulation.now().plusMillis(random.nextInt(300)),
          () -> world.jobs().find(job.toString()).ifPresent(j -> strike(j, after)));
    }
  }

  private static @Nullable RecoveryPhase phase(RecoveryObject recovery) {
    RecoveryStatus status = recovery.status();
    return status == null ? null : status.phase();
  }

  private void strike(JobObject job, RecoveryObject recovery) {
    boolean pauses = random.nextBoolean();
    boolean deletes = random.nextBoolean() && !pauses;
    Duration time = LEAST.plusMillis(random.nextInt(MORE_MILLIS));
    Policy policy = world.policies().find("default").map(PolicyObject::policy).orElse(null);
    if (policy == null || !job.suspend() || job.suspendedBy().isEmpty()) {
      return;
    }
    before = policy;
    edit = pauses ? p -> p.withPaused(true) : p -> p.withMaxRestarts(0);
    listener.did(
        Disturbance.POLICY_EDITED_MIDWAY,
        job.key().toString(),
        pauses ? "the policy is paused in mid-recovery" : "no restart is allowed any more");
    set(edit);
    if (deletes) {
      listener.did(
          Disturbance.POLICY_EDITED_MIDWAY, recovery.meta().key(), "and its recovery is deleted");
      world.recoveries().delete(recovery.meta().key(), "", null);
    }
    simulation.at(simulation.now().plus(time), this::takeBack);
  }

  private void takeBack() {
    Policy was = before;
    before = null;
    if (was != null) {
      set(p -> p.with(b -> b.paused(was.paused()).maxRestarts(was.maxRestarts())));
    }
  }

  private void set(UnaryOperator<Policy> next) {
    if (world.policies().find("default").isPresent()) {
      world
          .policies()
          .patch("default", p -> new PolicyObject(p.meta(), next.apply(p.policy()), p.card()));
    }
  }

  /** What others have put right by now it makes as it was. */
  void calm() {
    if (before != null) {
      before = before.withPaused(false);
      set(edit);
    }
  }
}
