package dev.rekindle.controller.notification.webhook;

import dev.rekindle.controller.notification.Answer;
import dev.rekindle.controller.notification.Answer.Trouble;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** What the status of a response and its header {@code Retry-After} mean. */
final class StatusAnswer {
  private static final int LONGEST_HEADER = 64;

  private StatusAnswer() {}

  /**
   * Reads it.
   *
   * @param retryAfter the header: seconds, or a date of HTTP
   */
  static Answer of(int status, Optional<String> retryAfter, Instant now) {
    return switch (status) {
      case 401, 403, 404, 405, 410 -> unavailable(Trouble.DENIED, status, retryAfter, now);
      case 408, 425, 429, 503 -> unavailable(Trouble.BUSY, status, retryAfter, now);
      default ->
          switch (status / 100) {
            case 2 -> new Answer.Delivered();
            case 3 -> unavailable(Trouble.REDIRECT, status, retryAfter, now);
            case 4 -> new Answer.Refused(status);
            default -> unavailable(Trouble.SERVER_ERROR, status, retryAfter, now);
          };
    };
  }

  private static Answer unavailable(
      Trouble trouble, int status, Optional<String> retryAfter, Instant now) {
    return new Answer.Unavailable(
        trouble, status, "", retryAfter.map(text -> wish(text, now)).orElse(Duration.ZERO));
  }

  private static Duration wish(String text, Instant now) {
    if (text.length() > LONGEST_HEADER) {
      return Duration.ZERO;
    }
    if (text.matches("[0-9]{1,9}")) {
      return Duration.ofSeconds(Integer.parseInt(text));
    }
    try {
      Instant then = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return then.isAfter(now) ? Duration.between(now, then) : Duration.ZERO;
    } catch (DateTimeException neither) {
      return Duration.ZERO;
    }
  }
}
