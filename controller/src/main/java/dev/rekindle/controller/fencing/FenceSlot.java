package dev.rekindle.controller.fencing;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/**
 * A slot of a node.
 *
 * @param recovery what fences it: a recovery, {@code namespace/name}, or {@code fault/NAME}
 * @param uid of the Node that is to be cordoned, empty when unknown
 * @param since when it was taken; absent when the node was found to be fenced, or it is not known
 */
public record FenceSlot(String recovery, String uid, @Nullable Instant since) {
  /**
   * A slot older than this belongs to a cordon that is either done or will never be. It is longer
   * than {@link FenceSlots#fresh} allows, and what a request can take until its effect, its
   * repetition included.
   */
  static final Duration DOUBTFUL = Duration.ofSeconds(60);

  /** Between what fences and the UID; no name has it in it. */
  private static final String OF = "@";

  private static final int MAX_RECOVERY = 160;
  private static final int MAX_UID = 36;

  public FenceSlot {
    recovery = recovery.length() > MAX_RECOVERY ? recovery.substring(0, MAX_RECOVERY) : recovery;
    uid = uid.length() > MAX_UID ? "" : uid;
  }

  /** One of whichever Node has the name. */
  public FenceSlot(String recovery, @Nullable Instant since) {
    this(recovery, "", since);
  }

  boolean doubtful(Instant now) {
    // No slot is taken in the future: Rekindle has not written such a time.
    return since == null || Duration.between(since, now).abs().compareTo(DOUBTFUL) > 0;
  }

  String text() {
    String by = uid.isEmpty() ? recovery : recovery + OF + uid;
    return since == null ? by : by + " " + since;
  }

  static FenceSlot of(String text) {
    int space = text.lastIndexOf(' ');
    if (space >= 0) {
      try {
        return by(text.substring(0, space).strip(), Instant.parse(text.substring(space + 1)));
      } catch (DateTimeParseException noTime) {
        // what is written there was not written by us
      }
    }
    return by(text.strip(), null);
  }

  private static FenceSlot by(String text, @Nullable Instant since) {
    int at = text.lastIndexOf(OF);
    return at < 0
        ? new FenceSlot(text, since)
        : new FenceSlot(text.substring(0, at), text.substring(at + OF.length()), since);
  }
}
