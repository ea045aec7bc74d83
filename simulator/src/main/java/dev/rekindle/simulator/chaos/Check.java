package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.cluster.JobView.Mode;
import dev.rekindle.controller.cluster.JobView.OptIn;
import dev.rekindle.simulator.process.Deeds;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Watches a run for one thing that must hold, at the truth. */
abstract class Check implements Deeds {
  /** What was decided before something became known may take effect so much later. */
  static final Duration UNDER_WAY = Duration.ofSeconds(60);

  final World world;
  private final Invariants all;
  private final Invariant invariant;

  Check(World world, Invariants all, Invariant invariant) {
    this.world = world;
    this.all = all;
    this.invariant = invariant;
  }

  /** Looks at what is true now; in the calm, every few seconds. */
  void look() {}

  final Instant now() {
    return all.now();
  }

  final boolean longAgo(@Nullable Instant then) {
    return then != null && then.plus(UNDER_WAY).isBefore(now());
  }

  final void broken(String detail) {
    all.broken(invariant, detail);
  }

  final Invariants all() {
    return all;
  }

  /** The job that the recovery is for, where it is still that one. */
  final Optional<JobObject> jobOf(RecoveryObject recovery) {
    return world
        .jobs()
        .find(recovery.view().job().toString())
        .filter(job -> job.meta().uid().equals(recovery.spec().jobUid()));
  }

  /** How far the job lets one go; empty where it is not to be touched at all. */
  final Optional<Mode> mode(JobObject job) {
    return job.optIn() instanceof OptIn.Yes(Mode mode)
            && job.notOurs().isEmpty()
            && world.policies().find(job.policy()).isPresent()
        ? Optional.of(mode)
        : Optional.empty();
  }
}
