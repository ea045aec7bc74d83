package dev.rekindle.controller.model;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the controller keeps of a PyTorchJob, with the training operator's defaults applied (the
 * operator applies them in memory and never writes them back).
 *
 * @param key namespace and name
 * @param uid UID
 * @param optIn what the job's owner requested
 * @param policy name of the RecoveryPolicy, {@code default} unless named
 * @param checkpointDir directory of the checkpoints as the container sees it, empty when not given
 * @param resumeByEnv whether the script is given its checkpoint by environment
 * @param stallTimeout the job's own stall timeout, absent unless set
 * @param replicas the replica types, in the order Master, Worker
 * @param suspended {@code spec.runPolicy.suspend}
 * @param suspendedBy the recovery that suspended it by our annotation, empty otherwise; of a job
 *     that Kueue admits this and the two beside it are read from its Workload ({@link QueuedJob})
 * @param suspensionSeen whether the operator's condition Suspended is True
 * @param attempt the attempt that all templates carry, empty when they carry none or differ
 * @param finish how it ended, if it did
 * @param finishedAt when it ended
 * @param finishMessage the operator's words for that
 * @param notOurs why somebody else answers for its restarts (Kueue, another manager, another
 *     healer), else empty
 * @param gpus GPUs that the whole gang requests
 * @param restart how its owner wants it brought back; absent unless set
 * @param injection how the pod templates pass the checkpoint to the script
 * @param templateNamesCheckpoint whether the annotation of a template names a checkpoint: each pod
 *     made from it, whenever that is, gets the same
 * @param backoffLimit container restarts, summed over its present pods, at which the operator fails
 *     the job; absent for no limit
 * @param copiedAnnotations annotations on it that Rekindle set on another job, which are ignored
 * @param plannedNodes host names that our preference takes new pods to
 * @param gang who decides when its pods may start as a whole
 * @param queued whether Kueue keeps it stopped by itself: it waits for quota, or is being stopped
 * @param rewritesTracker whether its owner lets the tracker of its checkpoints be rewritten
 * @param requiresRdma whether a gang that came back without RDMA is not recovered
 * @param spares the warm spares that its owner requests
 * @param beginsUnreachable whether its script begins also while the only copy of its checkpoints is
 *     on nodes that cannot be used
 * @param removedAtOnce whether a template has a grace period of 0: its pods are removed while their
 *     processes still run
 */
@RecordBuilder
public record JobView(
    JobKey key,
    String uid,
    OptIn optIn,
    String policy,
    String checkpointDir,
    boolean resumeByEnv,
    @Nullable Duration stallTimeout,
    List<Replica> replicas,
    boolean suspended,
    String suspendedBy,
    boolean suspensionSeen,
    String attempt,
    Finish finish,
    @Nullable Instant finishedAt,
    String finishMessage,
    String notOurs,
    long gpus,
    @Nullable RestartMode restart,
    ResumeInjection injection,
    boolean templateNamesCheckpoint,
    @Nullable Integer backoffLimit,
    List<String> copiedAnnotations,
    List<String> plannedNodes,
    GangScheduling gang,
    boolean queued,
    boolean rewritesTracker,
    boolean requiresRdma,
    SpareWish spares,
    boolean beginsUnreachable,
    boolean removedAtOnce)
    implements JobViewBuilder.With {

  /** How templates give the script its checkpoint. */
  public enum ResumeInjection {
    /** Not at all: it finds the newest by itself. */
    NOTHING,
    /** By a value in the environment, which no pod ever gets rid of. */
    BY_VALUE,
    /**
     * By a variable that is read from an annotation of the pod each time a container starts: it can
     * be given another in place.
     */
    BY_ANNOTATION
  }

  /**
   * One replica type.
   *
   * @param type {@code Master} or {@code Worker}
   * @param count pods of it
   * @param restart restart policy
   * @param gpus GPUs that each pod of it requests
   * @param needs what else they need of a node
   */
  public record Replica(String type, int count, RestartPolicy restart, long gpus, PodNeeds needs) {
    /** Type of the one that rank 0 is of, where a job has such. */
    public static final String MASTER = "Master";

    /** One that needs nothing but GPUs. */
    public Replica(String type, int count, RestartPolicy restart, long gpus) {
      this(type, count, restart, gpus, PodNeeds.NONE);
    }

    /** The same with other needs. */
    public Replica withNeeds(PodNeeds others) {
      return new Replica(type, count, restart, gpus, others);
    }
  }

  /** Restart policy of a replica type. */
  public enum RestartPolicy {
    ALWAYS,
    ON_FAILURE,
    NEVER,
    EXIT_CODE;

    /**
     * Whether the kubelet restarts a container that ended. Under ExitCode the operator makes the
     * pod's policy Never.
     */
    public boolean restartsInPlace() {
      return this == ALWAYS || this == ON_FAILURE;
    }
  }

  /** Whether and how the job ended. */
  public enum Finish {
    NOT_FINISHED,
    SUCCEEDED,
    FAILED
  }

  /** What the owner requested by annotation. */
  public sealed interface OptIn {
    /** No annotation: the job is never touched. */
    record No() implements OptIn {}

    /** Opted in. */
    record Yes(Mode mode) implements OptIn {}

    /** An annotation that makes no sense; the reason says which and why. */
    record Unusable(String reason) implements OptIn {}

    /** The job names a policy that does not exist; the reason says which there are. */
    record UnknownPolicy(String reason) implements OptIn {}

    /** Why the job is not to be touched now, for people; empty when it may be. */
    default String optedOut() {
      return switch (this) {
        case No _ -> "the job opted out";
        case Unusable(String reason) -> "the job opted out by an unusable annotation: " + reason;
        case UnknownPolicy(String reason) -> "the job is under no policy: " + reason;
        case Yes(Mode mode) ->
            mode == Mode.OBSERVE
                ? "the job opted out, or its policy forbids: it is to be observed only"
                : "";
      };
    }
  }

  /** How far recoveries go without a person. */
  public enum Mode {
    OBSERVE,
    APPROVE,
    AUTO
  }

  /** Why the job is not to be touched now, for people; empty when it may be. */
  public String handsOff() {
    return notOurs.isEmpty() ? optIn.optedOut() : "the job is not ours: " + notOurs;
  }

  public JobView {
    replicas = List.copyOf(replicas);
    copiedAnnotations = List.copyOf(copiedAnnotations);
    plannedNodes = List.copyOf(plannedNodes);
  }

  /**
   * Whether its owner requests the same of us. Whether a faulty node is fenced depends on what the
   * jobs on it request.
   */
  public boolean requestsTheSame(JobView other) {
    return optIn.equals(other.optIn)
        && policy.equals(other.policy)
        && notOurs.equals(other.notOurs);
  }

  /** Number of pods that make the gang complete. */
  public int gangSize() {
    long size = 0;
    for (Replica replica : replicas) {
      size += replica.count();
    }
    return (int) Math.min(size, Integer.MAX_VALUE);
  }

  /**
   * The same where of these volumes those that its claims are bound to are known; without any, as
   * if all nodes reached them.
   */
  public JobView withVolumes(Collection<BoundVolume> known) {
    return replicas.stream().allMatch(r -> r.needs().claims().isEmpty())
        ? this
        : withReplicas(
            replicas.stream().map(r -> r.withNeeds(r.needs().withVolumes(known))).toList());
  }

  /** Whether the kubelet restarts ended containers of every replica type. */
  public boolean restartsInPlace() {
    return replicas.stream().allMatch(r -> r.restart().restartsInPlace());
  }
}
