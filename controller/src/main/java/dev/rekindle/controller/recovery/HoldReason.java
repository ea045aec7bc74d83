package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import java.util.Arrays;
import java.util.Optional;

/**
 * Why a recovery is held: the reason of its condition {@code Progressing}, and the first word of
 * what the hold says.
 */
public enum HoldReason {
  /** A person has approved, and nothing could be done before that was too long ago. */
  APPROVAL_EXPIRED("ApprovalExpired"),
  /** The job or the policy requests a person. */
  AWAITING_APPROVAL("AwaitingApproval"),
  /** More nodes would be fenced than the policy allows. */
  BREAKER_OPEN("BreakerOpen"),
  /** Nothing could be judged, and the script may not decide by itself. */
  CHECKPOINT_UNKNOWN("CheckpointUnknown"),
  /** The job fails again and again from its checkpoints, and none is left to try. */
  CRASH_LOOP("CrashLoop"),
  /** A pod does not end. */
  DRAIN_BLOCKED("DrainBlocked"),
  /** The whole gang has no place. */
  NO_CAPACITY("NoCapacity"),
  /** Kueue has not admitted the job again. */
  NOT_ADMITTED("NotAdmitted"),
  /** The gang trains, and no maintenance window is open. */
  OUTSIDE_WINDOW("OutsideWindow"),
  /** The policy is paused. */
  PAUSED("Paused"),
  /** The job requires RDMA, and its gang came back without it, or nothing shows that it has it. */
  RDMA_NOT_RESTORED("RdmaNotRestored"),
  /** The API server refuses what the recovery needs. */
  REFUSED("Refused"),
  /** The API server does not answer, or is in trouble, for minutes. */
  UNAVAILABLE("Unavailable");

  private final String word;

  HoldReason(String word) {
    this.word = word;
  }

  /** The reason as Kubernetes spells reasons. */
  public String word() {
    return word;
  }

  /** Whether the API server is the reason. */
  boolean ofTheApiServer() {
    return this == REFUSED || this == UNAVAILABLE;
  }

  /** Why the recovery is held; empty when it is not, or when that was not written down. */
  public static Optional<HoldReason> of(RecoveryStatus status) {
    if (status.phase() != RecoveryPhase.HELD) {
      return Optional.empty();
    }
    return status.conditions().stream()
        .filter(c -> "Progressing".equals(c.getType()))
        .flatMap(c -> Arrays.stream(values()).filter(r -> r.word.equals(c.getReason())))
        .findFirst();
  }
}
