package dev.rekindle.detect.restart;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.rekindle.detect.pod.TrainingContainer;
import dev.rekindle.detect.pod.TrainingPod;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the agent has done, or is about to do, with a container of a pod for an order. On disk
 * before it is done.
 *
 * @param orderUid UID of the order
 * @param until when the container is to run on if nothing more arrives, by the time that the agent
 *     counts; absent for never
 * @param pod name of the pod
 * @param podUid its UID
 * @param container id of the container; empty when none ran
 * @param restartCount the kubelet's restart count of it; where none was made yet, one less than the
 *     next one will have
 * @param how by what it was frozen; empty when it is not known to be
 * @param mark how far this is
 * @param since since when
 */
public record JournalEntry(
    String orderUid,
    @Nullable Instant until,
    String pod,
    String podUid,
    String container,
    int restartCount,
    String how,
    Mark mark,
    Instant since) {

  /** How far it is. */
  public enum Mark {
    /** To be frozen, or in part. */
    FREEZING,
    /** Seen frozen. */
    FROZEN,
    /** To be killed. */
    KILLING,
    /** Dead by our hand: what comes next in this pod is of the new generation. */
    KILLED,
    /** Nothing of the pod ran, or it ended by itself: what comes next is of the old generation. */
    IDLE,
    /** Was frozen and runs on. */
    THAWED
  }

  static JournalEntry of(Order order, TrainingPod pod, Mark mark, Instant now) {
    var container = pod.container();
    return new JournalEntry(
        order.uid(),
        order.until(),
        pod.name(),
        pod.uid(),
        container.running() ? container.id() : "",
        // The kubelet gives the count of the next one while none is made.
        container.id().isEmpty() ? container.restartCount() - 1 : container.restartCount(),
        "",
        mark,
        now);
  }

  /** Whether the container may be frozen, wholly or in part. */
  @JsonIgnore
  public boolean isHeld() {
    return mark == Mark.FREEZING || mark == Mark.FROZEN || mark == Mark.KILLING;
  }

  /** Whether another container of the pod runs. */
  public boolean isReplacedBy(TrainingContainer other) {
    return other.running() && !other.id().equals(container);
  }

  JournalEntry with(Mark other, Instant now) {
    return other == mark
        ? this
        : new JournalEntry(orderUid, until, pod, podUid, container, restartCount, how, other, now);
  }

  JournalEntry frozen(String by, Instant now) {
    return new JournalEntry(
        orderUid, until, pod, podUid, container, restartCount, by, Mark.FROZEN, now);
  }

  JournalEntry until(@Nullable Instant other) {
    return new JournalEntry(
        orderUid, other, pod, podUid, container, restartCount, how, mark, since);
  }
}
