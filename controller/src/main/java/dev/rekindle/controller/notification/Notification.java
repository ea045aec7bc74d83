package dev.rekindle.controller.notification;

import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.recovery.HoldReason;
import java.time.Instant;
import java.util.Optional;

/**
 * One thing that receivers are notified of.
 *
 * @param id the same for the same thing, whichever leader sends it and how often
 * @param type what happened
 * @param time when, by the clock of the controller that wrote it down
 * @param content what it is about
 */
public record Notification(String id, NotificationType type, Instant time, Content content) {
  /** What a notification is about. */
  public sealed interface Content {}

  /**
   * A recovery that entered a phase.
   *
   * @param recovery the recovery as it is by now: it may have gone on since
   * @param detail what was written down when it entered the phase, for people
   * @param hold why it is held; empty where it is not, or is not held for that any more
   */
  public record OfRecovery(RecoveryView recovery, String detail, Optional<HoldReason> hold)
      implements Content {}

  /** A node that was fenced or released. */
  public record OfNode(FenceEpisode fence) implements Content {}

  static Notification of(FenceEpisode fence, NotificationType type, Instant time) {
    return new Notification(
        Mark.id(fence.nodeUid(), Mark.of(type, time)), type, time, new OfNode(fence));
  }
}
