package dev.rekindle.simulator.replay;

import static java.util.stream.Collectors.joining;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Durations as traces give them and as reports print them. */
final class Durations {
  private static final double MILLIS_PER_DAY = 86_400_000.0;

  private Durations() {}

  static Duration ofDays(double days) {
    return Duration.ofMillis(Math.round(days * MILLIS_PER_DAY));
  }

  static double days(Duration duration) {
    return duration.toMillis() / MILLIS_PER_DAY;
  }

  static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }

  static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  static Duration share(Duration time, double ratio) {
    return Duration.ofMillis(Math.round(time.toMillis() * ratio));
  }

  static Optional<Duration> mean(Stream<Duration> some) {
    List<Duration> times = some.toList();
    return times.stream().reduce(Duration::plus).map(sum -> sum.dividedBy(times.size()));
  }

  /** Exact, for assumptions: {@code 30 min}, {@code 1 h 30 min}, {@code 2 d}, {@code 0.25 s}. */
  static String exact(Duration duration) {
    BigDecimal seconds = BigDecimal.valueOf(duration.toMillis() % 60_000, 3).stripTrailingZeros();
    String text =
        Stream.of(
                duration.toDays() + " d",
                duration.toHoursPart() + " h",
                duration.toMinutesPart() + " min",
                seconds.toPlainString() + " s")
            .filter(part -> !part.startsWith("0 "))
            .collect(joining(" "));
    return text.isEmpty() ? "0 s" : text;
  }

  /** Three digits or so, for results. */
  static String rough(Duration duration) {
    double seconds = seconds(duration);
    if (seconds < 99.5) {
      return rounded(seconds, seconds < 9.95 ? 1 : 0) + " s";
    }
    if (seconds < 99.5 * 60) {
      return rounded(seconds / 60, 1) + " min";
    }
    return seconds < 48 * 3600
        ? rounded(seconds / 3600, 1) + " h"
        : rounded(seconds / 86_400, 1) + " d";
  }

  /** So many digits after the point, whatever the locale is. */
  static String rounded(double value, int digits) {
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }
}
