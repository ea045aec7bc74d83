package dev.rekindle.detect;

import java.time.Duration;

/** Durations as Kubernetes people write them: {@code 250ms}, {@code 90s}, {@code 1h30m}. */
public final class ShortDuration {
  private ShortDuration() {}

  /**
   * Reads whole numbers, each with a unit of {@code h}, {@code m}, {@code s} or {@code ms}.
   *
   * @throws IllegalArgumentException when the text is anything else, or longer than 10,000 hours
   */
  public static Duration parse(String text) {
    var total = Duration.ZERO;
    var at = 0;
    while (at < text.length()) {
      var digits = at;
      while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
        at++;
      }
      var unit = at;
      while (at < text.length() && (text.charAt(at) < '0' || text.charAt(at) > '9')) {
        at++;
      }
      if (unit == digits || unit - digits > 9) {
        throw wrong(text);
      }
      var number = Long.parseLong(text.substring(digits, unit));
      total =
          total.plus(
              switch (text.substring(unit, at)) {
                case "h" -> Duration.ofHours(number);
                case "m" -> Duration.ofMinutes(number);
                case "s" -> Duration.ofSeconds(number);
                case "ms" -> Duration.ofMillis(number);
                default -> throw wrong(text);
              });
    }
    if (text.isEmpty() || total.toHours() > 10_000) {
      throw wrong(text);
    }
    return total;
  }

  private static IllegalArgumentException wrong(String text) {
    return new IllegalArgumentException(
        "'" + text + "' is no duration such as 250ms, 90s, 10m or 1h30m");
  }
}
