package dev.rekindle.simulator.chaos;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.util.Optional;

/**
 * Invariant 77: in the calm a gang does not train on with hardware of which a fault says that it is
 * broken: a recovery is open, or an Event says why there is none. Bound: {@link #BOUND}; of jobs
 * that may be recovered without being asked, while the clocks of the controller are right. Why:
 * what computes on a GPU that cannot remap its rows computes nonsense, or dies hours later.
 */
final class MustLeave extends Check {
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final String GPU = "GPU ";

  private final Policy policy;
  private final Answers answers;
  private final Evidence evidence;
  private final Consent consent;
  private final Convergence rest;
  private final Overdue overdue = new Overdue(this);

  MustLeave(
      World world,
      Invariants all,
      Policy policy,
      Answers answers,
      Evidence evidence,
      Consent consent,
      Convergence rest) {
    super(world, all, Invariant.MUST_LEAVE);
    this.policy = policy;
    this.answers = answers;
    this.evidence = evidence;
    this.consent = consent;
    this.rest = rest;
  }

  @Override
  void look() {
    if (clocksWereWrong()) {
      return;
    }
    for (JobObject job : world.jobs().all()) {
      String uid = job.meta().uid();
      Optional<FaultObject> fault = isLeft(job) ? Optional.empty() : fault(job);
      if (fault.isEmpty()) {
        overdue.end(uid);
      } else if (overdue.lasts(uid, BOUND)) {
        broken(
            job.key(),
            "job %s stays where %s is since %s"
                .formatted(job.key(), fault.get().meta().name(), overdue.since(uid)));
      }
    }
  }

  @Override
  boolean isWaiting() {
    return !overdue.isEmpty();
  }

  /** Whether it may be left where it is, whatever is broken there. */
  private boolean isLeft(JobObject job) {
    return !consent.automatic(job)
        || mode(job).filter(Mode.AUTO::equals).isEmpty()
        || policy.mode() != Mode.AUTO
        || job.suspend()
        || job.status().finish() != Finish.NOT_FINISHED
        || !open(job).isEmpty()
        || !answers.forGood(job.key()).isEmpty()
        || rest.saidWhyNot(job);
  }

  private Optional<FaultObject> fault(JobObject job) {
    for (FaultObject fault : world.faults().all()) {
      if (fault.view().fence() == FenceGuidance.ALWAYS && evidence.stands(fault)) {
        for (PodObject pod : world.podsOf(job)) {
          if (pod.live() && !pod.meta().terminating() && hits(fault, pod)) {
            return Optional.of(fault);
          }
        }
      }
    }
    return Optional.empty();
  }

  private boolean hits(FaultObject fault, PodObject pod) {
    return pod.node().equals(fault.view().node())
        && (!fault.view().component().startsWith(GPU) || world.machine(pod.node()).hitsGpuOf(pod));
  }
}
