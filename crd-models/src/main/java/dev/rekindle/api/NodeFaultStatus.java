package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How often and when last. An object without a status counts as {@link State#ACTIVE} and seen once.
 *
 * @param state Active, or Cleared once something proved the fault gone
 * @param count records that reported this fault, over all boots
 * @param lastSeen time of the newest record
 * @param bootId boot in which it was last seen
 * @param lastSequence kernel-log sequence number of the newest record counted, within {@code
 *     bootId}; makes counting idempotent when the log is replayed
 * @param lastEvidence the newest line, at most 1 KiB
 */
public record NodeFaultStatus(
    State state,
    long count,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant lastSeen,
    String bootId,
    long lastSequence,
    String lastEvidence) {
  /** Whether the fault stands. */
  public enum State {
    ACTIVE,
    CLEARED
  }
}
