package dev.rekindle.detect;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Pattern;

/** Durations as Kubernetes people write them: {@code 250ms}, {@code 90s}, {@code 1h30m}. */
public final class ShortDuration {
  private static final long MOST_HOURS = 10_000;
  private static final Pattern PART =
      Pattern.compile("\\G(\\d{1,9})(?:(ms|s|m|h|d)|(\\.\\d{1,3})s)");

  private ShortDuration() {}

  /**
   * Reads numbers, each with a unit of {@code d}, {@code h}, {@code m}, {@code s} or {@code ms}; or
   * {@code 0}. Seconds may have a fraction.
   *
   * @throws IllegalArgumentException when the text is anything else, or longer than 10,000 hours
   */
  public static Duration parse(String text) {
    if (text.equals("0")) {
      return Duration.ZERO;
    }
    var total = Duration.ZERO;
    var end = 0;
    for (var part = PART.matcher(text); part.find(); end = part.end()) {
      var fraction = part.group(3);
      total =
          total
              .plus(whole(Long.parseLong(part.group(1)), fraction == null ? part.group(2) : "s"))
              .plus(fraction == null ? Duration.ZERO : fraction(fraction));
    }
    if (text.isEmpty() || end < text.length() || total.toHours() > MOST_HOURS) {
      throw new IllegalArgumentException(
          "'" + text + "' is no duration such as 250ms, 90s, 10m, 1h30m or 2d");
    }
    return total;
  }

  private static Duration whole(long number, String unit) {
    return switch (unit) {
      case "d" -> Duration.ofDays(number);
      case "h" -> Duration.ofHours(number);
      case "m" -> Duration.ofMinutes(number);
      case "s" -> Duration.ofSeconds(number);
      default -> Duration.ofMillis(number);
    };
  }

  private static Duration fraction(String ofASecond) {
    return Duration.ofMillis(new BigDecimal(ofASecond).movePointRight(3).longValueExact());
  }
}
