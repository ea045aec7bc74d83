package dev.rekindle.controller.notification;

import java.time.Instant;
import java.util.Optional;

/**
 * How a notification is identified beside the UID of its object: what happened, and when, to the
 * microsecond. It is made of what the cluster has stored, so each leader makes the same one.
 */
final class Mark {
  private static final int RADIX = 36;
  private static final long MICROS = 1_000_000;

  /** In seconds. Rekindle never wrote a time beyond it. */
  private static final long MOST = Long.MAX_VALUE / MICROS - 1;

  private Mark() {}

  static String of(NotificationType type, Instant time) {
    long seconds = Math.clamp(time.getEpochSecond(), -MOST, MOST);
    long micros = seconds * MICROS + time.getNano() / 1_000;
    return type.letter() + Long.toString(micros, RADIX);
  }

  /** The identity of a notification. */
  static String id(String uid, String mark) {
    return uid + "_" + mark;
  }

  /** When that happened; empty where the text is not an identity of a notification. */
  static Optional<Instant> timeOf(String id) {
    int at = id.lastIndexOf('_');
    if (at < 0 || at + 2 >= id.length()) {
      return Optional.empty();
    }
    try {
      long micros = Long.parseLong(id.substring(at + 2), RADIX);
      return Optional.of(
          Instant.ofEpochSecond(
              Math.floorDiv(micros, MICROS), Math.floorMod(micros, MICROS) * 1_000));
    } catch (NumberFormatException noTime) {
      return Optional.empty();
    }
  }
}
