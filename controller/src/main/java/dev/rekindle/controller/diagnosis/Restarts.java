package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Counts the restarts of a job in its recoveries. */
public final class Restarts {
  private Restarts() {}

  /**
   * Restarts since a moment: every attempt of every recovery that came as far as suspending the
   * job. An attempt counts when it happened, not when its recovery was opened: that may have waited
   * for a person, or for room, longer than the window.
   */
  public static int since(List<RecoveryView> recoveries, Instant since) {
    return (int)
        recoveries.stream()
            .map(RecoveryView::status)
            .filter(Objects::nonNull)
            .flatMap(status -> of(status).stream())
            .filter(at -> !at.isBefore(since))
            .count();
  }

  /**
   * When each attempt last interfered with the job: suspended it, or resumed it if it got there.
   */
  public static List<Instant> of(RecoveryStatus status) {
    List<Instant> times = new ArrayList<>();
    RecoveryPhase before = RecoveryPhase.DETECTED;
    for (TimelineEntry entry : status.timeline()) {
      boolean next = times.isEmpty() || before == RecoveryPhase.VERIFYING;
      if (entry.phase() == RecoveryPhase.DRAINING && next) {
        times.add(entry.time());
      } else if (entry.phase() == RecoveryPhase.VERIFYING && !times.isEmpty()) {
        times.set(times.size() - 1, entry.time());
      }
      before = entry.phase();
    }
    // A long timeline has lost its middle; what it no longer shows counts as long as the newest.
    while (!times.isEmpty() && times.size() < status.attempt()) {
      times.add(times.getLast());
    }
    return times;
  }
}
