package dev.rekindle.simulator.replay;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lengths of time as people write and read them: {@code 30m}, {@code 1h30m}, {@code 2d}. */
final class Spans {
  private static final Pattern WORDS =
      Pattern.compile(
          "(?:(\\d{1,5})d)?(?:(\\d{1,6})h)?(?:(\\d{1,7})m)?(?:(\\d{1,9}(?:\\.\\d{1,3})?)s)?");

  private Spans() {}

  static Duration parse(String text) throws Refusal {
    if (text.equals("0")) {
      return Duration.ZERO;
    }
    Matcher matcher = WORDS.matcher(text);
    if (text.isEmpty() || !matcher.matches()) {
      throw new Refusal(
          "not a length of time: " + TraceReader.shown(text) + "; write 90s, 30m, 1h30m or 2d");
    }
    double seconds =
        number(matcher, 1) * 86_400
            + number(matcher, 2) * 3600
            + number(matcher, 3) * 60
            + number(matcher, 4);
    return Duration.ofMillis(Math.round(seconds * 1000));
  }

  private static double number(Matcher matcher, int group) {
    String text = matcher.group(group);
    return text == null ? 0 : Double.parseDouble(text);
  }

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
