package dev.rekindle.api;

/**
 * The closed vocabulary of {@code Recovery.status.cause.reason}, beside the codes of NodeFaults:
 * where a fault is the cause, the reason is its code.
 */
public enum CauseReason {
  /** A pod of the gang failed. */
  POD_FAILED("PodFailed"),
  /** The operator marked the job Failed. */
  JOB_FAILED("JobFailed"),
  /** A container ended and the kubelet restarts it. */
  CONTAINER_ENDED("ContainerEnded"),
  /** Containers or pods ended as their script could not load a checkpoint. */
  CHECKPOINT_NOT_LOADED("CheckpointNotLoaded"),
  /** The training script requested a restart. */
  RESTART_ASKED("RestartAsked"),
  /** All pods run and steps stand. */
  STALLED(RecoveryStatus.Cause.STALLED),
  /** The job is suspended by a recovery that is gone or over. */
  ORPHANED(RecoveryStatus.Cause.ORPHANED),
  /** The first process to end asked to be run again. */
  RERUN_ASKED(RecoveryStatus.Cause.RERUN),
  /** The first process to end computed a result twice, and it differed. */
  RESULT_REJECTED(RecoveryStatus.Cause.RESULT_REJECTED),
  /** The gang has resumed into a loss that is NaN or infinite. */
  LOSS_NOT_FINITE(RecoveryStatus.Cause.LOSS_NOT_FINITE),
  /** A node with ranks does not answer. */
  NODE_SILENT("NodeSilent"),
  /** A Node with ranks was deleted. */
  NODE_GONE("NodeGone"),
  /** Pods of the gang were not placed. */
  UNPLACED("Unplaced"),
  /** The signal was gone before the recovery began. */
  NONE("None"),
  /** The signal was too weak for a recovery when it was judged again. */
  WATCHED("Watched"),
  /** The job has a failure, and is left alone. */
  REFUSED("Refused");

  private final String word;

  CauseReason(String word) {
    this.word = word;
  }

  /** The word that stands in the object. */
  public String word() {
    return word;
  }
}
