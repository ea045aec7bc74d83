package dev.rekindle.page;

import dev.rekindle.api.TimelineEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A line of the timeline: a phase that was entered, something done in it, or a fault of a node.
 *
 * @param at when
 * @param since seconds since the recovery was opened
 * @param what the phase, or the code of the fault
 * @param detail one sentence
 * @param fault whether it is a fault of a node
 */
record TimelineRow(Instant at, double since, String what, String detail, boolean fault) {
  TimelineRow {
    what = VisibleText.of(what);
    detail = VisibleText.of(detail);
  }

  String sinceText() {
    return (since < 0 ? "−" : "+") + Figures.time(Math.abs(since));
  }

  /** Phases and faults in one order of time. */
  static List<TimelineRow> of(Incident incident) {
    List<TimelineRow> moments = new ArrayList<>();
    Instant began = incident.began();
    for (TimelineEntry entry : incident.status().timeline()) {
      moments.add(
          new TimelineRow(
              entry.time(),
              since(began, entry.time()),
              entry.phase().word(),
              entry.detail(),
              false));
    }
    incident
        .faults()
        .forEach(
            fault -> {
              Instant seen = fault.getSpec().firstSeen();
              if (seen != null) {
                String where =
                    fault.getSpec().node()
                        + (fault.getSpec().componentId().isEmpty()
                            ? ""
                            : ", " + fault.getSpec().componentId());
                moments.add(
                    new TimelineRow(
                        seen,
                        since(began, seen),
                        fault.getSpec().code(),
                        where + ": first seen, by " + fault.getSpec().detector(),
                        true));
              }
            });
    // Stable: what is of one moment stays in the order in which it was written.
    moments.sort(Comparator.comparing(TimelineRow::at));
    return moments;
  }

  private static double since(Instant began, Instant at) {
    return Figures.seconds(Duration.between(began, at));
  }
}
