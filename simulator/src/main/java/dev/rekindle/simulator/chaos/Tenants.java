package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PolicyObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Actions of the owners of jobs and policies in mid-run: copy a job with all its marks, opt out and
 * in again, set an elasticPolicy, edit or delete the policy.
 */
final class Tenants {
  private static final int MOST_COPIES = 3;
  private static final String COPY = "-copy";

  private final Simulation simulation;
  private final World world;
  private final RandomGenerator random;
  private final Policy policy;
  private final Listener listener;
  private Instant calm = Instant.MAX;
  private int copies;

  /** Gets each thing that was done. */
  interface Listener {
    void did(Disturbance danger, String subject, String text);
  }

  Tenants(Simulation simulation, RandomGenerator random, Policy policy, Listener listener) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.random = random;
    this.policy = policy;
    this.listener = listener;
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    long window = Duration.between(from, to).toMillis();
    for (int i = random.nextInt(3); i > 0; i--) {
      simulation.at(from.plusMillis(random.nextLong(window)), this::strike);
    }
    if (random.nextInt(4) == 0) {
      world.recoveries().watch(this::recovers);
    }
  }

  /** In the middle of a recovery, when the job carries our marks. */
  private void recovers(Change<RecoveryObject> change) {
    RecoveryObject after = change.after();
    if (after == null || !simulation.now().isBefore(calm) || random.nextInt(6) > 0) {
      return;
    }
    JobKey job = after.view().job();
    simulation.at(
        soon(1_500),
        () ->
            world
                .jobs()
                .find(job.toString())
                .ifPresent(random.nextBoolean() ? this::copy : this::strike));
  }

  private Instant soon(int millis) {
    Instant then = simulation.now().plusMillis(1 + random.nextInt(millis));
    return then.isBefore(calm) ? then : simulation.now();
  }

  private void strike() {
    List<JobObject> jobs = world.jobs().list();
    if (!jobs.isEmpty()) {
      strike(jobs.get(random.nextInt(jobs.size())));
    }
  }

  private void strike(JobObject job) {
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> copy(job);
      case 3, 4 -> optOutAndIn(job);
      case 5 -> setElastic(job);
      case 6 -> editPolicy();
      default -> deletePolicy();
    }
  }

  /** As {@code kubectl get -o yaml}, a new name, and {@code kubectl apply} do. */
  private void copy(JobObject job) {
    JobKey name = new JobKey(job.key().namespace(), job.key().name() + COPY);
    if (copies < MOST_COPIES && world.jobs().find(name.toString()).isEmpty()) {
      copies++;
      listener.did(Disturbance.JOB_COPIED, job.key().toString(), "its user copies it as " + name);
      world.copy(job, name);
    }
  }

  private void optOutAndIn(JobObject job) {
    if (job.optIn() instanceof OptIn.Yes before) {
      listener.did(
          Disturbance.OPTED_OUT_AND_IN, job.key().toString(), "its user opts out for a while");
      world.jobs().patch(job.meta().key(), j -> j.with(new OptIn.No()));
      simulation.at(
          soon(40_000),
          () ->
              world
                  .jobs()
                  .find(job.meta().key())
                  .filter(j -> j.optIn() instanceof OptIn.No)
                  .ifPresent(j -> world.jobs().patch(j.meta().key(), o -> o.with(before))));
    }
  }

  /** An autoscaler may change the gang from now on: its size is not fixed any more. */
  private void setElastic(JobObject job) {
    listener.did(Disturbance.ELASTIC_SET, job.key().toString(), "its user sets an elasticPolicy");
    world
        .jobs()
        .patch(
            job.meta().key(),
            j -> j.withNotOurs("spec.elasticPolicy lets torchrun go on with 1 to 8 replicas."));
  }

  /** Stricter for a while than what holds otherwise, or paused until the calm. */
  private void editPolicy() {
    if (world.policies().find("default").isEmpty()) {
      return;
    }
    Policy stricter =
        switch (random.nextInt(4)) {
          case 0 -> policy.withMode(Mode.OBSERVE);
          case 1 -> policy.withMaxFencedNodes(1);
          case 2 -> policy.withMaxRestarts(1);
          default -> policy.with(b -> b.mode(Mode.OBSERVE).maxFencedNodes(0).maxRestarts(0));
        };
    Instant end = soon(60_000);
    // By what is no draw, so that seeds play as they did.
    if (simulation.now().toEpochMilli() % 3 > 0) {
      listener.did(Disturbance.POLICY_EDITED, "default", "the policy is paused");
      set(policy.withPaused(true));
      return;
    }
    listener.did(Disturbance.POLICY_EDITED, "default", "the policy is made stricter for a while");
    set(stricter);
    simulation.at(end, () -> set(policy));
  }

  private void set(Policy next) {
    if (world.policies().find("default").isPresent()) {
      world.policies().patch("default", p -> new PolicyObject(p.meta(), next, p.card()));
    }
  }

  private void deletePolicy() {
    world
        .policies()
        .find("default")
        .ifPresent(
            p -> {
              listener.did(
                  Disturbance.POLICY_DELETED, "default", "the policy is deleted for a while");
              world.policies().delete("default", "", null);
              simulation.at(soon(40_000), () -> apply(p));
            });
  }

  private void apply(PolicyObject before) {
    if (world.policies().find("default").isEmpty()) {
      world
          .policies()
          .create(new PolicyObject(Meta.draft("", "default", ""), policy, before.card()));
    }
  }

  /** The policy is as it was, not paused, and copies go where there is no room for all. */
  void calm() {
    set(policy.withPaused(false));
    int wanted = world.jobs().list().stream().mapToInt(j -> j.setup().ranks()).sum();
    if (wanted > world.nodes().list().size()) {
      for (JobObject job : world.jobs().list()) {
        if (job.key().name().endsWith(COPY)) {
          world.jobs().delete(job.meta().key(), "", null);
        }
      }
    }
  }
}
