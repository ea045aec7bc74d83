package dev.rekindle.controller.notification;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.TimelineEntry;
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
 * enters no phase is a remark and no notification; each reason to hold is one of its own.
 */
public final class RecoveryNotifications {
  private RecoveryNotifications() {}

  /** All of it, oldest first; what happened by the given time is left out. */
  public static List<Notification> of(RecoveryView recovery, Instant after) {
    RecoveryStatus status = recovery.status();
    if (status == null || recovery.uid().isEmpty()) {
      return List.of();
    }
    List<TimelineEntry> timeline = status.timeline();
    List<Notification> all = new ArrayList<>();
    @Nullable RecoveryPhase before = null;
    for (int i = 0; i < timeline.size(); i++) {
      TimelineEntry entry = timeline.get(i);
      boolean enters = entry.phase() != before || entry.phase() == RecoveryPhase.HELD;
      before = entry.phase();
      if (enters && entry.time().isAfter(after)) {
        boolean newest = i == timeline.size() - 1;
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
}
