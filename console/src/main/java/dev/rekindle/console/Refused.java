package dev.rekindle.console;

import io.micronaut.http.HttpStatus;
import java.time.Duration;

/** Why a request is refused. */
final class Refused extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The reason. */
  enum Why {
    UNKNOWN(HttpStatus.UNAUTHORIZED, "A valid token of this cluster is needed."),
    FORBIDDEN(HttpStatus.FORBIDDEN, "The cluster's rights do not let you see this."),
    NO_SUCH(HttpStatus.NOT_FOUND, "There is no such object."),
    BAD_CURSOR(HttpStatus.BAD_REQUEST, "That cursor is not one of this list."),
    BUSY(
        HttpStatus.SERVICE_UNAVAILABLE, "Too many unknown tokens are sent; try again in a second."),
    TOO_OFTEN(
        HttpStatus.TOO_MANY_REQUESTS,
        "The cluster was asked too often lately what you may see; try again in a moment."),
    FULL(HttpStatus.SERVICE_UNAVAILABLE, "Too many listen already."),
    NO_ANSWER(HttpStatus.SERVICE_UNAVAILABLE, "The API server does not say who you are.");

    private final HttpStatus status;
    private final String text;

    Why(HttpStatus status, String text) {
      this.status = status;
      this.text = text;
    }

    HttpStatus status() {
      return status;
    }

    String text() {
      return text;
    }
  }

  private final Why why;
  private final Duration retryAfter;

  Refused(Why why) {
    this(why, why == Why.BUSY ? Duration.ofSeconds(1) : Duration.ZERO);
  }

  /**
   * One that another try may help.
   *
   * @param retryAfter when
   */
  Refused(Why why, Duration retryAfter) {
    super(why.text());
    this.why = why;
    this.retryAfter = retryAfter;
  }

  Refused(Why why, Exception cause) {
    super(why.text(), cause);
    this.why = why;
    this.retryAfter = Duration.ZERO;
  }

  /** When to try again; zero where that is not known. */
  Duration retryAfter() {
    return retryAfter;
  }

  Why why() {
    return why;
  }
}
