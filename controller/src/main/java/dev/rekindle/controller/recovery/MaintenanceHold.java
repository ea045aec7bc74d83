package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.hold;
import static dev.rekindle.controller.recovery.Transitions.phase;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.policy.MaintenanceWindows;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Holds a recovery that has not touched its job yet while its policy is paused, or outside the
 * maintenance windows if the gang still trains. A job that Rekindle has stopped is brought back at
 * any time.
 */
final class MaintenanceHold {
  private static final Set<HoldReason> REASONS =
      EnumSet.of(HoldReason.PAUSED, HoldReason.OUTSIDE_WINDOW, HoldReason.APPROVAL_EXPIRED);

  private static final String PAUSED = "its RecoveryPolicy, or the policy default, is paused";

  private MaintenanceHold() {}

  /** Whether nothing of the job has been stopped for it. */
  static boolean untouched(RecoverySnapshot s, JobView job) {
    RecoveryPhase phase = phase(s);
    return !job.suspended()
        && (s.order() == null || s.order().spec().instruction() == RestartInstruction.LOOK)
        && (phase == RecoveryPhase.DETECTED
            || phase == RecoveryPhase.FENCING
            || phase == RecoveryPhase.DRAINING);
  }

  /** The hold, or the way out of it; empty where nothing keeps the recovery from going on. */
  static Optional<Decision> decide(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    boolean untouched = untouched(s, job);
    if (untouched && policy.paused()) {
      return Optional.of(hold(s, HoldReason.PAUSED, PAUSED + "; nothing was stopped", now));
    }
    if (untouched && waits(s, job, policy, now)) {
      return Optional.of(hold(s, HoldReason.OUTSIDE_WINDOW, outside(policy, now), now));
    }
    return HoldReason.of(status(s))
        .filter(reason -> REASONS.contains(reason) || isHeldLate(s, reason))
        .map(reason -> Transitions.enter(s, phase(s), goesOn(reason, untouched), now));
  }

  /**
   * A person was asked in mid-recovery, as the mode of the job had changed. From Detected the next
   * decision is to move on; from another phase it may be a call, and where that fails the hold
   * would go on to speak of a person (seed 94306522).
   */
  private static boolean isHeldLate(RecoverySnapshot s, HoldReason reason) {
    return reason == HoldReason.AWAITING_APPROVAL && phase(s) != RecoveryPhase.DETECTED;
  }

  /**
   * Why a gang that an attempt has brought back, and that still lacks something, is not stopped for
   * it now; empty if it may be.
   */
  static Optional<String> keeps(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    if (policy.paused()) {
      return Optional.of("no other attempt: " + PAUSED);
    }
    MaintenanceWindows windows = policy.maintenance();
    boolean keeps = windows.stoppedWait() || Unplaceable.steps(s, job, policy, now);
    return !windows.isOpen(now) && keeps
        ? Optional.of("no other attempt yet: " + opens(policy, now))
        : Optional.empty();
  }

  private static boolean waits(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    MaintenanceWindows windows = policy.maintenance();
    return !windows.isOpen(now)
        && (windows.stoppedWait() || (!asked(s) && Unplaceable.trains(s, job, policy, now)));
  }

  /** Where the script itself wants to be restarted, or trains on nothing worth keeping. */
  private static boolean asked(RecoverySnapshot s) {
    String reason = cause(s).reason();
    return reason.equals(CauseReason.RESTART_ASKED.word())
        || reason.equals(CauseReason.LOSS_NOT_FINITE.word());
  }

  private static String outside(Policy policy, Instant now) {
    String waits =
        policy.maintenance().stoppedWait() ? "" : "; if it stalls before, it is not kept";
    return opens(policy, now) + waits;
  }

  private static String opens(Policy policy, Instant now) {
    return policy
        .maintenance()
        .opensAfter(now)
        .map(at -> "the next maintenance window opens at " + at.truncatedTo(ChronoUnit.MINUTES))
        .orElse("no maintenance window opens");
  }

  private static String goesOn(HoldReason reason, boolean untouched) {
    if (!untouched) {
      return "the job was stopped already";
    }
    return switch (reason) {
      case PAUSED -> "no longer paused";
      case OUTSIDE_WINDOW -> "a maintenance window is open, or the gang trains no more";
      case AWAITING_APPROVAL -> "approved, or no approval is required any more";
      default -> "approved again";
    };
  }
}
