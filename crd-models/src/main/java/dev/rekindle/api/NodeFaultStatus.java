package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
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
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record NodeFaultStatus(
    State state,
    @Min(0) long count,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant lastSeen,
    @Size(max = Bounds.WORD) String bootId,
    long lastSequence,
    @Size(max = Bounds.LINE) String lastEvidence) {
  public NodeFaultStatus {
    state = state == null ? State.ACTIVE : state;
    bootId = Bounds.word(bootId);
    lastEvidence = Bounds.line(lastEvidence);
  }

  /** Whether the fault stands. */
  public enum State {
    @JsonProperty("Active")
    ACTIVE,
    @JsonProperty("Cleared")
    CLEARED
  }
}
