package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.TimelineEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Updates the message of a hold while its reason stays and the details change, such as which node
 * is full and how many GPUs are free. It is written once a minute at most, without an event, and
 * takes one entry of the timeline, regardless of how long the hold lasts.
 */
final class HoldText {
  private static final Duration REST = Duration.ofMinutes(1);

  private HoldText() {}

  /** The held status with what is so now; empty where it says that, or was written lately. */
  static Optional<RecoveryStatus> renewed(
      RecoveryStatus held, HoldReason reason, String why, Instant now) {
    List<TimelineEntry> timeline = new ArrayList<>(held.timeline());
    if (timeline.isEmpty()) {
      return Optional.empty();
    }
    TimelineEntry newest = timeline.getLast();
    TimelineEntry next = new TimelineEntry(RecoveryPhase.HELD, now, why, reason.word());
    if (newest.phase() != RecoveryPhase.HELD
        || newest.detail().equals(next.detail())
        || Duration.between(newest.time(), now).compareTo(REST) < 0) {
      return Optional.empty();
    }
    boolean wasRenewed =
        timeline.size() > 1
            && reason.word().equals(newest.hold())
            && reason.word().equals(timeline.get(timeline.size() - 2).hold());
    // The beginning of a hold for another reason, and a remark, stay.
    if (wasRenewed) {
      timeline.removeLast();
    }
    RecoveryStatus same = held.withTimeline(timeline);
    return Optional.of(RecoveryStatusBuilder.holdStill(same, reason, next, now));
  }
}
