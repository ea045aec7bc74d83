package dev.rekindle.controller.kubernetes.convert;

import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Times as objects of others carry them. */
final class Times {
  private Times() {}

  /** The instant, or null where the text is absent or is none. */
  static @Nullable Instant parse(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return null;
    }
    try {
      return Instant.parse(text);
    } catch (DateTimeException notATime) {
      return null;
    }
  }

  /** The later of the two. */
  static @Nullable Instant later(@Nullable Instant one, @Nullable Instant other) {
    if (one == null) {
      return other;
    }
    return other == null || one.isAfter(other) ? one : other;
  }
}
