package dev.rekindle.detect.restart;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.detect.pod.TrainingPod;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A RestartOrder, as much of it as the agent needs.
 *
 * @param namespace its namespace, and that of the job
 * @param name its name
 * @param uid its UID
 * @param created when it was made, by the API server's clock, in whole seconds
 * @param job name of the job
 * @param jobUid UID of the job
 * @param instruction what is to be done
 * @param leaderUid UID of the pod to be restarted first; empty for none
 * @param until when to thaw if nothing more arrives
 * @param youngest when the youngest pod of the gang was made, by the API server's clock, in whole
 *     seconds; absent where that is not said
 * @param collectsEvidence whether what the ranks are doing is inspected before they are frozen
 * @param lasts for how long after it was first received what is frozen for it may stay frozen;
 *     absent where {@code until} alone counts
 */
public record Order(
    String namespace,
    String name,
    String uid,
    Instant created,
    String job,
    String jobUid,
    RestartInstruction instruction,
    String leaderUid,
    @Nullable Instant until,
    @Nullable Instant youngest,
    boolean collectsEvidence,
    @Nullable Duration lasts) {

  /** The order of an object; empty when it names no gang. */
  public static Optional<Order> of(RestartOrder object) {
    var metadata = object.getMetadata();
    var spec = object.getSpec();
    if (spec == null
        || spec.jobUid().isEmpty()
        || metadata.getNamespace() == null
        || metadata.getName() == null
        || metadata.getUid() == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Order(
            metadata.getNamespace(),
            metadata.getName(),
            metadata.getUid(),
            TrainingPod.time(metadata.getCreationTimestamp()),
            spec.job(),
            spec.jobUid(),
            spec.instruction(),
            spec.leaderUid(),
            spec.until(),
            spec.youngest(),
            Boolean.TRUE.equals(spec.collectEvidence()),
            spec.holdSeconds() == null ? null : Duration.ofSeconds(spec.holdSeconds())));
  }

  /**
   * Whether the pod is of the gang, in the old generation or the new one. A pod that came between
   * the two is of a gang that was rebuilt before a late order took effect.
   */
  public boolean isFor(TrainingPod pod) {
    return pod.namespace().equals(namespace)
        && pod.jobUid().equals(jobUid)
        && (youngest == null || !pod.created().isAfter(youngest) || isReplacement(pod));
  }

  /**
   * Whether the pod was made for the new generation. Both times are whole seconds, and a pod may be
   * deleted and made again within the second of the order; none of a gang that trained is as young.
   */
  public boolean isReplacement(TrainingPod pod) {
    return !pod.created().isBefore(created);
  }

  /** Pods of the old generation, of those on a node. */
  Collection<TrainingPod> concerned(Collection<TrainingPod> here) {
    return here.stream().filter(this::isFor).filter(pod -> !isReplacement(pod)).toList();
  }

  /** The same with another end. */
  Order endingAt(Instant end) {
    return new Order(
        namespace,
        name,
        uid,
        created,
        job,
        jobUid,
        instruction,
        leaderUid,
        end,
        youngest,
        collectsEvidence,
        lasts);
  }

  /** Whether what is frozen is to run on, as it was not restarted in time. */
  public boolean isOver(Instant now) {
    return instruction != RestartInstruction.RESTART_ALL && until != null && !now.isBefore(until);
  }
}
