package dev.rekindle.controller.notification;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.notification.Notification.OfRecovery;
import dev.rekindle.controller.recovery.HoldReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What there is to say of a recovery, read off the timeline that it has stored. An entry that
 * enters no phase is a remark and no notification. Each reason to hold is one of its own; a hold
 * whose text is renewed, as other nodes are full now, is the same.
 */
public final class RecoveryNotifications {
  private RecoveryNotifications() {}

  /** All of it, oldest first; what happened by the given time is left out. */
  public static List<Notification> of(RecoveryView recovery, Instant after) {
    RecoveryStatus status = recovery.status();
    if (status == null || recovery.uid().isEmpty()) {
      return List.of();
    }
    List<TimelineEntry> entered = entered(status.timeline());
    List<Notification> all = new ArrayList<>();
    for (TimelineEntry entry : entered) {
      if (entry.time().isAfter(after)) {
        boolean newest = entry.equals(entered.getLast());
        Optional<HoldReason> hold =
            newest && entry.phase() == RecoveryPhase.HELD
                ? HoldReason.of(status)
                : Optional.empty();
        NotificationType type = NotificationType.of(entry.phase());
        all.add(
            new Notification(
                Mark.id(recovery.uid(), Mark.of(type, entry.time())),
                type,
                entry.time(),
                new OfRecovery(recovery, entry.detail(), hold)));
      }
    }
    return all;
  }

  /** The entries that enter a phase, or begin a hold for another reason. */
  private static List<TimelineEntry> entered(List<TimelineEntry> timeline) {
    List<TimelineEntry> entered = new ArrayList<>();
    @Nullable RecoveryPhase phase = null;
    @Nullable String hold = null;
    for (TimelineEntry entry : timeline) {
      boolean begins = entry.hold() != null && !entry.hold().equals(hold);
      if (entry.phase() != phase || begins) {
        hold = entry.hold();
        entered.add(entry);
      }
      phase = entry.phase();
    }
    return entered;
  }
}
