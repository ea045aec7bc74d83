package dev.rekindle.controller.model;

import java.util.Arrays;
import java.util.Optional;

/**
 * The closed vocabulary of event reasons; {@code docs/reference/events.md} is generated from it.
 * What each means is an entry of {@link dev.rekindle.detect.knowledge.Knowledge}; a test fails
 * where one is missing.
 */
public enum Reason {
  RECOVERY_STARTED("RecoveryStarted", "Recover", false),
  NODE_FENCED("NodeFenced", "Fence", true),
  NODE_RELEASED("NodeReleased", "Release", false),
  NODE_KEPT_FENCED("NodeKeptFenced", "Fence", true),
  LEMON("Lemon", "Watch", true),
  WOULD_FENCE("WouldFence", "Observe", false),
  FENCE_AWAITS_APPROVAL("FenceAwaitsApproval", "Hold", true),
  FENCE_PAUSED("FencePaused", "Hold", true),
  BREAKER_OPEN("BreakerOpen", "Refuse", true),
  FENCE_QUOTA_REACHED("FenceQuotaReached", "Refuse", true),
  TOO_MANY_FAULTS("TooManyFaults", "Watch", true),
  NODE_WRITE_REFUSED("NodeWriteRefused", "Refuse", true),
  GANG_DRAINED("GangDrained", "Drain", false),
  SPARE_CREATED("SpareCreated", "Spare", false),
  SPARE_RELEASED("SpareReleased", "Spare", false),
  SPARE_REMOVED("SpareRemoved", "Spare", false),
  SPARE_WANTING("SpareWanting", "Spare", true),
  ADDRESS_NOT_RELEASED("AddressNotReleased", "Drain", true),
  PLACEMENT_PLANNED("PlacementPlanned", "Plan", false),
  GANG_FROZEN("GangFrozen", "Drain", false),
  CULPRIT_NAMED("CulpritNamed", "Diagnose", true),
  CULPRIT_UNKNOWN("CulpritUnknown", "Diagnose", false),
  FALLBACK_TO_REBUILD("FallbackToRebuild", "Drain", true),
  JOB_RESTARTED_IN_PLACE("JobRestartedInPlace", "Resume", false),
  CHECKPOINT_PINNED("CheckpointPinned", "Plan", false),
  CHECKPOINT_UNKNOWN("CheckpointUnknown", "Plan", true),
  TRACKER_REWRITTEN("TrackerRewritten", "Resume", false),
  TRACKER_KEPT("TrackerKept", "Resume", true),
  JOB_RESUMED("JobResumed", "Resume", false),
  JOB_RECOVERED("JobRecovered", "Verify", false),
  SELF_RECOVERED("SelfRecovered", "Watch", false),
  ATTEMPT_FAILED("AttemptFailed", "Verify", true),
  RECOVERY_HELD("RecoveryHeld", "Hold", true),
  RECOVERY_FAILED("RecoveryFailed", "Recover", true),
  RECOVERY_CANCELLED("RecoveryCancelled", "Recover", false),
  WOULD_RECOVER("WouldRecover", "Observe", false),
  BUDGET_EXHAUSTED("BudgetExhausted", "Refuse", true),
  RESUME_FAILED("ResumeFailed", "Verify", true),
  RESUME_DOUBTFUL("ResumeDoubtful", "Verify", true),
  RDMA_NOT_RESTORED("RdmaNotRestored", "Verify", true),
  CHECKPOINT_REJECTED("CheckpointRejected", "Plan", true),
  RESTART_FORBIDDEN("RestartForbidden", "Refuse", true),
  STALLS_UNEXPLAINED("StallsUnexplained", "Refuse", true),
  REVIVAL_EXPIRED("RevivalExpired", "Refuse", true),
  INVALID_ANNOTATION("InvalidAnnotation", "Refuse", true),
  UNKNOWN_POLICY("UnknownPolicy", "Refuse", true),
  API_REFUSED("ApiRefused", "Refuse", true),
  COPIED_ANNOTATIONS("CopiedAnnotations", "Watch", true),
  MANAGED_EXTERNALLY("ManagedExternally", "Refuse", true),
  STEPS_NOT_SEEN("StepsNotSeen", "Watch", true),
  CHECKPOINT_OVERDUE("CheckpointOverdue", "Watch", true),
  POD_CANNOT_START("PodCannotStart", "Refuse", true);

  private final String word;
  private final String action;
  private final boolean warning;

  Reason(String word, String action, boolean warning) {
    this.word = word;
    this.action = action;
    this.warning = warning;
  }

  /** The one of that word; empty where there is none. */
  public static Optional<Reason> of(String word) {
    return Arrays.stream(values()).filter(reason -> reason.word.equals(word)).findFirst();
  }

  /** The event's {@code reason}. */
  public String word() {
    return word;
  }

  /** The event's {@code action}. */
  public String action() {
    return action;
  }

  /** Whether the event is of type Warning. */
  public boolean warning() {
    return warning;
  }
}
