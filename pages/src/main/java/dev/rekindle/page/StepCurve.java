package dev.rekindle.page;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.TimelineEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Steps of training over the phases: the newest before, the checkpoint, the first one after.
 *
 * @param points of the drawing, {@code x,y} each
 * @param text the same in words
 */
record StepCurve(String points, String text) {
  /** Units of the drawing from the lowest step to the highest. */
  static final double HEIGHT = 60;

  private static final double MARGIN = 6;

  private record Point(Instant at, long step) {}

  /** The curve of a recovery; empty where fewer than two steps were ever seen. */
  static Optional<StepCurve> of(RecoveryStatus status) {
    List<TimelineEntry> entries = status.timeline();
    Cause cause = status.cause();
    Outcome outcome = status.outcome();
    if (entries.isEmpty() || cause == null || outcome == null) {
      return Optional.empty();
    }
    Long last = cause.lastStep();
    Long resumed = outcome.resumedStep();
    Long first = outcome.firstStepAfter();
    Instant begin = entries.getFirst().time();
    Instant end = entries.getLast().time();
    Instant back = entered(entries, RecoveryPhase.RESUMING);
    List<Point> points = new ArrayList<>();
    if (last != null) {
      points.add(new Point(begin, last));
      points.add(new Point(back == null ? end : back, last));
    }
    if (resumed != null && back != null) {
      points.add(new Point(back, resumed));
    }
    if (first != null) {
      points.add(new Point(end, first));
    }
    if (points.size() < 2) {
      return Optional.empty();
    }
    List<String> words = new ArrayList<>();
    if (last != null) {
      words.add("step " + last + " was the newest before");
    }
    if (resumed != null) {
      words.add("resumed from step " + resumed);
    }
    if (first != null) {
      words.add("first step after: " + first);
    }
    return Optional.of(new StepCurve(drawn(points, begin, end), String.join("; ", words)));
  }

  /** When the phase was last entered. */
  private static @Nullable Instant entered(List<TimelineEntry> entries, RecoveryPhase phase) {
    return entries.stream()
        .filter(e -> e.phase() == phase)
        .map(TimelineEntry::time)
        .reduce((_, later) -> later)
        .orElse(null);
  }

  private static String drawn(List<Point> points, Instant begin, Instant end) {
    long low = points.stream().mapToLong(Point::step).min().orElseThrow();
    long high = points.stream().mapToLong(Point::step).max().orElseThrow();
    double time = Math.max(Figures.seconds(Duration.between(begin, end)), 0.001);
    double steps = Math.max((double) high - low, 1);
    return points.stream()
        .map(
            p -> {
              double x = Figures.seconds(Duration.between(begin, p.at())) / time;
              double y = (high - p.step()) / steps;
              return Figures.at(Math.clamp(x, 0, 1) * PhaseBar.WIDTH)
                  + ","
                  + Figures.at(MARGIN + y * (HEIGHT - 2 * MARGIN));
            })
        .collect(Collectors.joining(" "));
  }
}
