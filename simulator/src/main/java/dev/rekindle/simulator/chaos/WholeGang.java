package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;

/**
 * Invariant 61: in the calm no recovered gang runs in part, with some pods on nodes and others
 * without one, for two minutes longer than its start may take. Bound: the policy allows us to act,
 * no call for the gang is refused permanently, and no object says that it is given up. Why: its
 * pods hold GPUs and do nothing.
 */
final class WholeGang extends Check {
  private static final Duration ANSWERED = Duration.ofMinutes(2);

  private final Policy policy;
  private final Answers answers;
  private final Convergence rest;
  private final Consent consent;
  private final Overdue overdue = new Overdue(this);

  WholeGang(
      World world,
      Invariants all,
      Policy policy,
      Answers answers,
      Convergence rest,
      Consent consent) {
    super(world, all, Invariant.WHOLE_GANG);
    this.policy = policy;
    this.answers = answers;
    this.rest = rest;
    this.consent = consent;
  }

  @Override
  void look() {
    for (JobObject job : world.jobs().all()) {
      String uid = job.meta().uid();
      if (!isInPart(job)) {
        overdue.end(uid);
      } else if (overdue.lasts(uid, policy.start().plus(ANSWERED))) {
        broken(
            job.key(),
            "of job %s some pods have no node since %s, and others hold theirs"
                .formatted(job.key(), overdue.since(uid)));
      }
    }
  }

  private boolean isInPart(JobObject job) {
    if (job.suspend()
        || job.template().attempt().isEmpty()
        || job.status().finish() != Finish.NOT_FINISHED
        || !consent.automatic(job)
        || !policy.maintenance().windows().isEmpty()
        || !answers.forGood(job.key()).isEmpty()
        || rest.isGivenUp(job)) {
      return false;
    }
    boolean placed = false;
    boolean homeless = false;
    for (PodObject pod : world.podsOf(job)) {
      if (pod.live() && !pod.meta().terminating()) {
        placed |= !pod.node().isEmpty();
        homeless |= pod.node().isEmpty();
      }
    }
    return placed && homeless;
  }
}
