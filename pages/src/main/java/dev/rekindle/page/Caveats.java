package dev.rekindle.page;

import dev.rekindle.api.RecoveryStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What the times and steps of a page cannot show exactly. */
final class Caveats {
  /** The longest timeline that an object holds. */
  private static final int TIMELINE = 64;

  private Caveats() {}

  /** What a reader must know of the times and steps on the page. */
  static List<String> of(Incident incident) {
    List<String> notes = new ArrayList<>();
    RecoveryStatus status = incident.status();
    for (int i = 1; i < status.timeline().size(); i++) {
      var before = status.timeline().get(i - 1).time();
      var at = status.timeline().get(i).time();
      if (at.isBefore(before)) {
        notes.add(
            "A clock was set back by "
                + Figures.time(Figures.seconds(Duration.between(at, before)))
                + " before "
                + status.timeline().get(i).phase().word()
                + ": times around it are no measure.");
      }
    }
    if (status.timeline().size() >= TIMELINE) {
      notes.add("The timeline is full; entries between were left out.");
    }
    if (!incident.faults().isEmpty()) {
      notes.add("Times of faults are of their nodes' clocks, all others of the controller's.");
    }
    return notes;
  }
}
