package dev.rekindle.detect.weigh;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Counts bursts of incidents: how many there were at most within the window. */
final class Bursts {
  /** Codes of which all incidents near each other stand for one lasting fault. */
  private static final Set<String> STICKY = Set.of("XID-74", "XID-79", "XID-95", "XID-119");

  private final Thresholds t;

  Bursts(Thresholds thresholds) {
    this.t = thresholds;
  }

  private record Span(Instant first, Instant last) {}

  /** Most bursts within the window, of all these faults together. */
  int most(List<? extends Fault> faults, Instant now) {
    List<Span> spans = new ArrayList<>();
    for (var fault : faults) {
      var over =
          fault.incidents().stream()
              .filter(i -> isOfThisBoot(i, fault))
              .filter(i -> !now.isBefore(i.lastSeen().plus(t.silence())))
              .map(Incident.class::cast)
              .toList();
      spans.addAll(spans(over, STICKY.contains(fault.code())));
    }
    return most(spans);
  }

  /** Most of these incidents of one lasting fault within the window. */
  int mostSticky(List<Incident> incidents) {
    return most(spans(incidents, true));
  }

  /** When they were; sticky ones run together. */
  private List<Span> spans(List<Incident> incidents, boolean sticky) {
    return joined(
        incidents.stream().map(i -> new Span(i.firstSeen(), i.lastSeen())).toList(),
        sticky ? t.sticky() : t.silence());
  }

  private static List<Span> joined(List<Span> spans, Duration gap) {
    List<Span> all = new ArrayList<>();
    for (var span : spans.stream().sorted(Comparator.comparing(Span::first)).toList()) {
      var before = all.isEmpty() ? null : all.getLast();
      if (before != null && !span.first().isAfter(before.last().plus(gap))) {
        var last = before.last().isAfter(span.last()) ? before.last() : span.last();
        all.set(all.size() - 1, new Span(before.first(), last));
      } else {
        all.add(span);
      }
    }
    return all;
  }

  private int most(List<Span> spans) {
    var all = joined(spans, t.silence());
    var most = 0;
    for (var last : all) {
      var since = last.last().minus(t.window());
      most =
          Math.max(
              most,
              (int)
                  all.stream()
                      .filter(s -> !s.last().isBefore(since) && !s.last().isAfter(last.last()))
                      .count());
    }
    return most;
  }

  /** Whether it was in the boot that the fault was seen in last. */
  static boolean isOfThisBoot(Incident incident, Fault fault) {
    return incident.bootId().isEmpty()
        || fault.bootId().isEmpty()
        || incident.bootId().equals(fault.bootId());
  }
}
