package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 59: refused calls are retried, at a limited rate. In the calm a recovery that has to
 * suspend or resume its job sends that call, or the call that must come first, at least every 75 s.
 * At most {@link #MOST} calls that stop or start a job are refused within a minute. Bound: the
 * longest pause between two calls, and fifteen seconds for another leader. Why: a short outage of a
 * webhook must cause a short delay only, and Rekindle must not overload the webhook.
 */
final class AskedAgain extends Check {
  /** Pauses of 1, 2, 4, … seconds, by some processes one after another. */
  private static final int MOST = 20;

  private static final Set<Call> STOP_OR_START =
      EnumSet.of(Call.SUSPEND, Call.RESUME, Call.REVIVE, Call.OPEN);

  /** What stops or starts a gang, and what comes right before. */
  private static final Set<Call> ACTS =
      EnumSet.of(
          Call.SUSPEND,
          Call.RESUME,
          Call.REVIVE,
          Call.ORDER,
          Call.WITHDRAW,
          Call.PLAN_NODES,
          Call.INJECT_RESUME,
          Call.CLEAR_RESUME,
          Call.START_TRACKER,
          Call.TRACKER,
          Call.DELETE_POD);

  private record Refused(long minute, int calls) {}

  private record Asked(Call call, JobKey job) {}

  /** A recovery that has yet to act, and since when it was seen so. */
  private record Stay(RecoveryPhase phase, int attempt, Instant since) {}

  private final Answers answers;
  private final Map<Asked, Refused> refused = new HashMap<>();
  private final RepeatedCalls acts = new RepeatedCalls();
  private final Map<String, Stay> stays = new HashMap<>();

  AskedAgain(World world, Invariants all, Answers answers) {
    super(world, all, Invariant.ASKED_AGAIN);
    this.answers = answers;
  }

  @Override
  public void called(Call call, @Nullable JobKey job) {
    if (job == null) {
      return;
    }
    if (ACTS.contains(call)) {
      acts.called(job, now());
    }
    if (STOP_OR_START.contains(call) && answers.refuses(call, job, now())) {
      long minute = Math.floorDiv(now().getEpochSecond(), 60L);
      Refused count =
          refused.merge(
              new Asked(call, job),
              new Refused(minute, 1),
              (was, one) -> was.minute() == minute ? new Refused(minute, was.calls() + 1) : one);
      if (count.calls() > MOST) {
        broken(
            "%s of job %s was asked for %d times within a minute, and refused each time"
                .formatted(call, job, count.calls()));
      }
    }
  }

  @Override
  void look() {
    for (RecoveryObject recovery : world.recoveries().all()) {
      String key = recovery.meta().key();
      RecoveryStatus status = recovery.status();
      JobObject job = jobOf(recovery).orElse(null);
      if (clocksWereWrong() || status == null || job == null || !mustAct(status, job)) {
        stays.remove(key);
        continue;
      }
      RecoveryPhase phase = Objects.requireNonNull(status.phase());
      Stay stay = stays.get(key);
      if (stay == null || stay.phase() != phase || stay.attempt() != status.attempt()) {
        stays.put(key, new Stay(phase, status.attempt(), now()));
        continue;
      }
      if (acts.isOverdue(job.key(), stay.since(), now())) {
        broken(
            job.key(),
            "recovery %s is in %s since %s, and has asked for nothing since %s"
                .formatted(key, phase, stay.since(), acts.last(job.key())));
      }
    }
  }

  /** Whether its job is to be suspended or resumed, and is not, and nothing else comes first. */
  private boolean mustAct(RecoveryStatus status, JobObject job) {
    if (!job.queue().isEmpty() || inPlace(status) || !answers.forGood(job.key()).isEmpty()) {
      return false;
    }
    return switch (status.phase()) {
      case DRAINING -> !job.suspend() && orderOf(job).isEmpty();
      case RESUMING -> job.suspend() && !job.suspendedBy().isEmpty();
      case null, default -> false;
    };
  }

  @Override
  boolean isWaiting() {
    return !stays.isEmpty();
  }
}
