package dev.rekindle.controller.model;

/**
 * The closed vocabulary of event reasons; {@code docs/reference/events.md} is generated from it.
 */
public enum Reason {
  RECOVERY_STARTED(
      "RecoveryStarted", "Recover", false, "A job needs a recovery and one was opened."),
  NODE_FENCED("NodeFenced", "Fence", true, "A node was cordoned because of a hardware fault."),
  NODE_RELEASED(
      "NodeReleased", "Release", false, "Our cordon was lifted: no fault that fences is left."),
  NODE_KEPT_FENCED(
      "NodeKeptFenced",
      "Fence",
      true,
      "Our cordon stays although the fault was cleared; the note says why and what to do."),
  LEMON(
      "Lemon",
      "Watch",
      true,
      "The node was in trouble three times within 28 days, or jobs in different places waited for"
          + " ranks on it; it is marked, and placed last."),
  WOULD_FENCE(
      "WouldFence", "Observe", false, "The node is guilty; in auto mode it would be cordoned now."),
  FENCE_AWAITS_APPROVAL(
      "FenceAwaitsApproval",
      "Hold",
      true,
      "The node is guilty and is cordoned as soon as a person approves; the note says how."),
  BREAKER_OPEN(
      "BreakerOpen",
      "Refuse",
      true,
      "The node is guilty and is not cordoned: as many nodes are fenced as the policy allows."),
  FENCE_QUOTA_REACHED(
      "FenceQuotaReached",
      "Refuse",
      true,
      "Programs alone speak against the node and it is not cordoned: for those of a namespace as"
          + " many nodes were fenced within 24 h as the policy allows; the note says how to approve"
          + " it."),
  TOO_MANY_FAULTS(
      "TooManyFaults",
      "Watch",
      true,
      "The node has more NodeFaults than are looked at of one node; those beyond count for"
          + " nothing."),
  NODE_WRITE_REFUSED(
      "NodeWriteRefused",
      "Refuse",
      true,
      "The API server does not accept what is to be written on the node, or in a NodeFault of it;"
          + " the note has its words. It is tried again at least once a minute."),
  GANG_DRAINED("GangDrained", "Drain", false, "No pod of the job exists any more."),
  ADDRESS_NOT_RELEASED(
      "AddressNotReleased",
      "Drain",
      true,
      "Spiderpool still has an address of a pod on a node that does not answer, in a pool without a"
          + " spare one; the pod is removed all the same, and the gang waits for the address"
          + " (docs/rdma.md)."),
  PLACEMENT_PLANNED(
      "PlacementPlanned",
      "Plan",
      false,
      "Nodes were chosen for the pods that lose theirs, near to the survivors; in the Recovery"
          + " under plan.placement. The scheduler has the last word."),
  GANG_FROZEN(
      "GangFrozen",
      "Drain",
      false,
      "Every rank of the gang is frozen or replaced; it is restarted in place."),
  CULPRIT_NAMED(
      "CulpritNamed",
      "Diagnose",
      true,
      "The rank that a stalled gang waited for, from what agents found before it was frozen; in the"
          + " Recovery under cause.stall. No node is fenced for it."),
  CULPRIT_UNKNOWN(
      "CulpritUnknown",
      "Diagnose",
      false,
      "No rank can be named that a stalled gang waited for; with dumps of flight recorders more can"
          + " be seen (docs/hangs.md)."),
  FALLBACK_TO_REBUILD(
      "FallbackToRebuild",
      "Drain",
      true,
      "The gang cannot be restarted in place after all; it is suspended and rebuilt."),
  JOB_RESTARTED_IN_PLACE(
      "JobRestartedInPlace",
      "Resume",
      false,
      "Every surviving container was restarted in its pod, rank 0 first."),
  CHECKPOINT_PINNED("CheckpointPinned", "Plan", false, "The checkpoint to resume from was chosen."),
  CHECKPOINT_UNKNOWN(
      "CheckpointUnknown",
      "Plan",
      true,
      "No checkpoint could be judged; the script decides by itself."),
  JOB_RESUMED(
      "JobResumed", "Resume", false, "The templates were patched and the job un-suspended."),
  JOB_RECOVERED("JobRecovered", "Verify", false, "The whole gang runs and training moved on."),
  SELF_RECOVERED(
      "SelfRecovered",
      "Watch",
      false,
      "Containers ended and the kubelets alone brought the gang back; nothing was done."),
  ATTEMPT_FAILED(
      "AttemptFailed", "Verify", true, "The restarted gang did not come up; it is tried again."),
  RECOVERY_HELD(
      "RecoveryHeld", "Hold", true, "The recovery waits for something that the note names."),
  RECOVERY_FAILED(
      "RecoveryFailed",
      "Recover",
      true,
      "The recovery gave up; the job is left as it is, not suspended."),
  RECOVERY_CANCELLED(
      "RecoveryCancelled",
      "Recover",
      false,
      "The recovery is no longer wanted: the job ended, was deleted or taken over by its user."),
  WOULD_RECOVER(
      "WouldRecover",
      "Observe",
      false,
      "The job is in observe mode; in auto mode it would be restarted now."),
  BUDGET_EXHAUSTED(
      "BudgetExhausted", "Refuse", true, "The job used up its restarts; nothing is done."),
  RESUME_FAILED(
      "ResumeFailed",
      "Verify",
      true,
      "The restarted gang did not resume from the pinned checkpoint: it began from zero, could not"
          + " load it, ended without a step, or its loss is NaN; the note says which."),
  RESUME_DOUBTFUL(
      "ResumeDoubtful",
      "Verify",
      true,
      "The gang trains, but from another step than the pinned one, or its loss is far from what it"
          + " was."),
  CHECKPOINT_REJECTED(
      "CheckpointRejected",
      "Plan",
      true,
      "The newest valid checkpoint was tried and is not tried again: it could not be loaded, or the"
          + " job failed twice from it and made no progress; an older one is used."),
  RESTART_FORBIDDEN(
      "RestartForbidden",
      "Refuse",
      true,
      "A container ended with exit code 93: its launcher asks never to be restarted."),
  STALLS_UNEXPLAINED(
      "StallsUnexplained",
      "Refuse",
      true,
      "The job stalls for the third time within the window of its budget, and no rank could be"
          + " named: nothing is done, a person should look (docs/hangs.md)."),
  REVIVAL_EXPIRED(
      "RevivalExpired",
      "Refuse",
      true,
      "The job failed while no controller led, too long ago to be revived; nothing is done."),
  INVALID_ANNOTATION(
      "InvalidAnnotation",
      "Refuse",
      true,
      "An annotation of ours makes no sense; the job is not touched."),
  UNKNOWN_POLICY(
      "UnknownPolicy",
      "Refuse",
      true,
      "The job names a policy that does not exist or is not accepted; neither it nor a node is"
          + " touched for it."),
  API_REFUSED(
      "ApiRefused",
      "Refuse",
      true,
      "The API server does not store a Recovery of the job, or its status; the note has its"
          + " words."),
  FOREIGN_MARKS(
      "ForeignMarks",
      "Watch",
      true,
      "The job carries marks of ours that were made for another job, as a copy does; they count for"
          + " nothing."),
  MANAGED_EXTERNALLY(
      "ManagedExternally", "Refuse", true, "Something else answers for this job's restarts."),
  STEPS_NOT_SEEN(
      "StepsNotSeen",
      "Watch",
      true,
      "The job has printed lines for 10 minutes and none names a step: no stall of it is seen, and"
          + " a recovery counts as over when its pods are Ready; the note says what to do."),
  CHECKPOINT_OVERDUE(
      "CheckpointOverdue",
      "Watch",
      true,
      "By the job's own rhythm a checkpoint should have been saved and none was, for more than"
          + " twice the longest of its newest intervals, in steps and in time; the note says what"
          + " to do."),
  POD_CANNOT_START(
      "PodCannotStart",
      "Refuse",
      true,
      "A container never started; no restart mends its image or configuration.");

  private final String word;
  private final String action;
  private final boolean warning;
  private final String meaning;

  Reason(String word, String action, boolean warning, String meaning) {
    this.word = word;
    this.action = action;
    this.warning = warning;
    this.meaning = meaning;
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

  /** What it means, one sentence for the reference. */
  public String meaning() {
    return meaning;
  }
}
