package dev.rekindle.page;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Numbers and times as the pages write them, the same in every place of the world. */
final class Figures {
  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final double MINUTE = 60;
  private static final double HOUR = 3600;
  private static final double DAY = 86_400;
  private static final int LONG = 2;

  private Figures() {}

  /** A moment to the second. */
  static String moment(Instant at) {
    return MOMENT.format(at);
  }

  static double seconds(Duration time) {
    return time.toMillis() / 1000.0;
  }

  /** Seconds as {@code 2.5 s}, {@code 4 min 10 s}, {@code 3 h 5 min}, {@code 2 d 4 h}. */
  static String time(double seconds) {
    if (seconds < MINUTE) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    if (seconds < HOUR) {
      return pair(seconds, MINUTE, "min", 1, "s");
    }
    return seconds < LONG * DAY
        ? pair(seconds, HOUR, "h", MINUTE, "min")
        : pair(seconds, DAY, "d", HOUR, "h");
  }

  private static String pair(double seconds, double big, String unit, double small, String less) {
    long whole = (long) (seconds / big);
    long rest = (long) ((seconds - whole * big) / small);
    return rest == 0
        ? whole + " " + unit
        : String.format(Locale.ROOT, "%d %s %d %s", whole, unit, rest, less);
  }

  static String gpuTime(double gpuSeconds) {
    return gpuSeconds < HOUR
        ? String.format(Locale.ROOT, "%.1f GPU-minutes", gpuSeconds / MINUTE)
        : String.format(Locale.ROOT, "%.2f GPU-hours", gpuSeconds / HOUR);
  }

  /** An amount of money. */
  static String money(double amount, String currency) {
    return String.format(Locale.ROOT, "%.2f %s", amount, currency);
  }

  /** A coordinate of a drawing. */
  static String at(double x) {
    return String.format(Locale.ROOT, "%.1f", x);
  }
}
