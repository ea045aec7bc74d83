package dev.rekindle.detect.node;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One condition of a Node, whatever sets it: node-problem-detector, the agent of a cloud, an SRE.
 *
 * <p>Two are equal whatever they say: many authors put counters and times into the message, and
 * that is no news.
 *
 * @param type {@code XIDErrors}, {@code AcceleratedHardwareReady}
 * @param status {@code True}, {@code False} or {@code Unknown}; which of them is bad is not
 *     reported
 * @param reason one word of its author's, may be empty
 * @param message for people, at most 256 characters, may be empty
 * @param since when the status last changed, where the object says
 */
public record ConditionReading(
    String type, String status, String reason, String message, @Nullable Instant since) {
  /** Whether its author cannot say. */
  public boolean unknown() {
    return !status.equals("True") && !status.equals("False");
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ConditionReading that
        && type.equals(that.type)
        && status.equals(that.status)
        && reason.equals(that.reason)
        && Objects.equals(since, that.since);
  }

  @Override
  public int hashCode() {
    return Objects.hash(type, status, reason, since);
  }
}
