package dev.rekindle.detect.pod;

import java.time.Instant;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * One failure that a pod shows.
 *
 * @param kind what sort of failure
 * @param container the container it is about, empty when it is about the pod
 * @param exitCode exit code, for a container that ended
 * @param signal the signal it ended by, for {@link Kind#SIGNAL} and {@link Kind#OOM_KILLED}
 * @param restarts how often the kubelet had started the container again
 * @param answered whether the kubelet has started the container again since, so that it runs now
 * @param since when it happened, where known
 * @param evidence one sentence for people, at most 512 characters
 */
public record PodFailure(
    Kind kind,
    String container,
    OptionalInt exitCode,
    OptionalInt signal,
    int restarts,
    boolean answered,
    @Nullable Instant since,
    String evidence) {

  /** The sorts of failure, the one that explains most first. */
  public enum Kind {
    /** The node is gone or was declared lost. */
    NODE_LOST,
    /** The kubelet put the pod out, for want of resources or because the node shuts down. */
    EVICTED,
    /** Something else in the cluster wants the pod gone: preemption, the eviction API. */
    PREEMPTED,
    /** The kernel killed a container for its memory. */
    OOM_KILLED,
    /** A container ended by a signal. */
    SIGNAL,
    /** A container ended by itself with an exit code other than 0. */
    EXIT_CODE,
    /** The image cannot be had. */
    IMAGE_PULL,
    /** A container cannot be made or started from its configuration. */
    START_ERROR,
    /** A container ended so often that the kubelet waits before the next start. */
    CRASH_LOOP,
    /** No node takes the pod. */
    UNSCHEDULABLE
  }
}
