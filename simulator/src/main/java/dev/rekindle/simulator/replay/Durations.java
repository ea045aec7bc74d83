package dev.rekindle.simulator.replay;

import java.time.Duration;
import java.util.Locale;

/** Durations as reports print them: {@code 30 min}, {@code 1 h 30 min}, {@code 2 d}. */
final class Durations {
  private Durations() {}

  /** Exact where seconds are round, for assumptions. */
  static String exact(Duration duration) {
    if (duration.isZero()) {
      return "0 s";
    }
    StringBuilder text = new StringBuilder();
    part(text, (double) duration.toDays(), "d");
    part(text, duration.toHoursPart(), "h");
    part(text, duration.toMinutesPart(), "min");
    double seconds = duration.toSecondsPart() + duration.toMillisPart() / 1000.0;
    if (seconds > 0) {
      part(text, seconds, "s");
    }
    return text.toString();
  }

  private static void part(StringBuilder text, double value, String unit) {
    if (value > 0) {
      String number =
          value == Math.rint(value)
              ? String.format(Locale.ROOT, "%.0f", value)
              : Double.toString(value);
      text.append(text.isEmpty() ? "" : " ").append(number).append(' ').append(unit);
    }
  }

  /** Three digits or so, for results. */
  static String rough(Duration duration) {
    double seconds = duration.toMillis() / 1000.0;
    if (seconds < 99.5) {
      return String.format(Locale.ROOT, seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
    }
    if (seconds < 99.5 * 60) {
      return String.format(Locale.ROOT, "%.1f min", seconds / 60);
    }
    if (seconds < 48 * 3600) {
      return String.format(Locale.ROOT, "%.1f h", seconds / 3600);
    }
    return String.format(Locale.ROOT, "%.1f d", seconds / 86_400);
  }
}
