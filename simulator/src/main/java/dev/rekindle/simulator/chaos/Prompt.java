package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 46: in the calm no recovery stays in a phase for longer than the time-outs of that
 * phase, no job stands still for longer than detection may take without a recovery or an Event, and
 * no fence outlives its fault by five minutes. Bound: the time-outs of the policy and {@link
 * #MARGIN}; if an Event on the job was lost, until it is written again; nothing is checked while a
 * clock of the controller is wrong, or for a job with a permanently refused write. Why: an idle
 * gang of thousands of GPUs is expensive.
 */
final class Prompt extends Check {
  private static final Duration MARGIN = Duration.ofMinutes(2);
  private static final Duration FENCED = Duration.ofMinutes(5);

  /** The time after which a refused or lost Event is sent again (seeds 6097 and 94410837). */
  private static final Duration SAID_AGAIN = Duration.ofMinutes(5);

  /** One stay of a recovery in a phase. */
  private record Stay(RecoveryPhase phase, int attempt, @Nullable Instant entered, Instant since) {
    private boolean isSame(RecoveryStatus status) {
      return phase == status.phase()
          && attempt == status.attempt()
          && Objects.equals(entered, status.phaseSince());
    }
  }

  private final Policy policy;
  private final Answers answers;
  private final Convergence rest;
  private final Duration scans;
  private final Map<String, Stay> stays = new HashMap<>();
  private final Overdue standing = new Overdue(this);
  private final Overdue fenced = new Overdue(this);

  /** When an Event on a job was last requested in vain: a similar Event may be as late. */
  private final Map<JobKey, Instant> lost = new HashMap<>();

  Prompt(
      World world,
      Invariants all,
      Policy policy,
      Answers answers,
      Convergence rest,
      Duration scan) {
    super(world, all, Invariant.PROMPT);
    this.policy = policy;
    this.answers = answers;
    this.rest = rest;
    this.scans = scan.multipliedBy(3);
  }

  @Override
  public void unannounced(ClusterEvent said) {
    if (said.job() != null) {
      lost.put(said.job(), now());
    }
  }

  @Override
  void look() {
    if (clocksWereWrong()) {
      return;
    }
    for (RecoveryObject recovery : world.recoveries().all()) {
      if (recovery.open()) {
        stays(recovery);
      }
    }
    for (JobObject job : world.jobs().all()) {
      String uid = job.meta().uid();
      if (rest.isLeft(job, Instant.MAX) || isRefused(job)) {
        standing.end(uid);
      } else if (standing.lasts(uid, most(job)) && !isSaidAgain(job)) {
        broken(job.key(), "job %s stands since %s".formatted(job.key(), standing.since(uid)));
      }
    }
    for (NodeObject node : world.nodes().all()) {
      String uid = node.meta().uid();
      if (!rest.isLeftFenced(node)) {
        fenced.end(uid);
      } else if (fenced.lasts(uid, FENCED)) {
        broken(
            "node %s is fenced by %s, without a fault since %s"
                .formatted(node.meta().name(), node.fencedBy(), fenced.since(uid)));
      }
    }
  }

  private void stays(RecoveryObject recovery) {
    RecoveryStatus status = recovery.status();
    JobObject job = jobOf(recovery).orElse(null);
    String key = recovery.meta().key();
    RecoveryPhase phase = status == null ? null : status.phase();
    if (status == null || phase == null || phase == RecoveryPhase.HELD || job == null) {
      stays.remove(key);
      return;
    }
    Stay stay = stays.get(key);
    if (stay == null || !stay.isSame(status) || isRefused(job)) {
      stays.put(key, new Stay(phase, status.attempt(), status.phaseSince(), now()));
    } else if (stay.since().plus(most(phase)).isBefore(now())) {
      broken(
          job.key(),
          "recovery %s is in %s since %s: %s"
              .formatted(key, phase, stay.since(), status.timeline().getLast()));
    }
  }

  /** A job that failed is known to stand; of others it takes the time after which that is held. */
  private Duration most(JobObject job) {
    if (job.status().finish() == Finish.FAILED) {
      return MARGIN.plus(SAID_AGAIN);
    }
    Duration own = job.setup().stallTimeout();
    Duration stall = own != null && own.compareTo(policy.stall()) > 0 ? own : policy.stall();
    return MARGIN.plus(policy.start()).plus(stall).plus(policy.kubeletRestart());
  }

  private boolean isSaidAgain(JobObject job) {
    Instant at = lost.get(job.key());
    return at != null && at.plus(SAID_AGAIN).plus(MARGIN).isAfter(now());
  }

  private boolean isRefused(JobObject job) {
    return !answers.forGood(job.key()).isEmpty();
  }

  private Duration most(RecoveryPhase phase) {
    Duration agents = policy.freeze().plus(policy.replacement());
    return MARGIN.plus(
        switch (phase) {
          case DRAINING -> policy.drainTimeout().plus(agents);
          case PLANNING -> policy.inspect().plus(agents).plus(scans);
          case RESUMING -> agents;
          case VERIFYING -> policy.start().plus(policy.readyStable()).plus(policy.stall());
          default -> Duration.ZERO;
        });
  }
}
