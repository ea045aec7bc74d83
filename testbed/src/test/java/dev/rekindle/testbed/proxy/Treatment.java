package dev.rekindle.testbed.proxy;

import java.time.Duration;

/** What becomes of a call. */
public sealed interface Treatment {

  /**
   * Answered by the proxy, with a Status as the API server writes it.
   *
   * @param code of HTTP
   * @param reason a word, such as {@code Forbidden}
   * @param message a sentence for people
   * @param retryAfter seconds in the header of that name; 0 for none
   */
  record Refused(int code, String reason, String message, int retryAfter) implements Treatment {}

  /**
   * Forwarded after a while.
   *
   * @param delay how long
   */
  record Late(Duration delay) implements Treatment {}

  /** Forwarded, and the connection is cut before the answer. */
  record Unheard() implements Treatment {}

  /** Never forwarded; the connection is cut. */
  record Lost() implements Treatment {}

  /** Never forwarded and never answered, while the connection stands. */
  record Silent() implements Treatment {}
}
