package dev.rekindle.controller.notification.webhook;

import java.time.Instant;

/** What {@code rekindle notify-test} sends: it is about no recovery and no node. */
final class TestEvent {
  /** The CloudEvents type. */
  static final String TYPE = "dev.rekindle.test.v1";

  static final String SUBJECT = "test";

  static final String TEXT = "A test: this webhook takes what Rekindle sends";

  private static final int BASE = 36;

  private TestEvent() {}

  /** Another one each time, in the form of all others. */
  static String id(Instant time) {
    return "test_m" + Long.toString(time.toEpochMilli(), BASE);
  }
}
