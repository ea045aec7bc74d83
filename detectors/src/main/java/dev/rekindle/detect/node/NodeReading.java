package dev.rekindle.detect.node;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a Node object says about its health.
 *
 * @param state whether it serves
 * @param since when it came into that state, where the object says
 * @param unschedulable whether it is cordoned, by whomever
 * @param outOfService whether it carries the taint {@code node.kubernetes.io/out-of-service}: a
 *     person or a controller vouches that it is off
 * @param bootId boot that its kubelet reported last, may be empty
 * @param evidence one sentence for people, at most 512 characters
 */
public record NodeReading(
    State state,
    @Nullable Instant since,
    boolean unschedulable,
    boolean outOfService,
    String bootId,
    String evidence) {

  /** Whether a node serves. */
  public enum State {
    /** Its kubelet says it is ready. */
    READY,
    /** Its kubelet says it is not ready, or has not said anything yet. */
    NOT_READY,
    /** Its kubelet no longer says anything: Ready is Unknown. The node may still compute. */
    SILENT,
    /** There is no Node object. */
    GONE
  }
}
