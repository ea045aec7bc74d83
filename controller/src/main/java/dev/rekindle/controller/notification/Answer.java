package dev.rekindle.controller.notification;

import java.time.Duration;

/** What came of one try to deliver a notification. */
public sealed interface Answer {
  /** The receiver has taken it. */
  record Delivered() implements Answer {}

  /**
   * The receiver refuses this notification; others may do.
   *
   * @param status the HTTP status
   */
  record Refused(int status) implements Answer {}

  /**
   * The receiver takes nothing for the time being.
   *
   * @param trouble why
   * @param status the HTTP status; 0 where there was none
   * @param detail more for the log, without a part of the URL and without words of the receiver
   * @param retryAfter for how long it asks to be left alone; zero where it does not
   */
  record Unavailable(Trouble trouble, int status, String detail, Duration retryAfter)
      implements Answer {}

  /** Why a receiver takes nothing; the words are a label of a metric. */
  enum Trouble {
    /** Not to be reached. */
    NO_ANSWER("no_answer"),
    /** It did not answer in time. */
    TIMEOUT("timeout"),
    /** It answered with a redirect, which is not followed. */
    REDIRECT("redirect"),
    /** It asks to be left alone: 408, 425, 429, 503. */
    BUSY("busy"),
    /** It fails: any other 5xx. */
    SERVER_ERROR("server_error"),
    /** Credentials or path are wrong: 401, 403, 404, 405, 410. */
    DENIED("denied"),
    /** What is needed to send is missing or wrong on our side: the secret, the URL. */
    NOT_CONFIGURED("not_configured");

    private final String word;

    Trouble(String word) {
      this.word = word;
    }

    /** The word in a metric. */
    public String word() {
      return word;
    }
  }
}
