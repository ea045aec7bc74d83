package dev.rekindle.detect;

import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Times as objects of the API server carry them. */
public final class ApiTime {
  private ApiTime() {}

  /** The instant; null where the text is absent or is no time. */
  public static @Nullable Instant parse(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return null;
    }
    try {
      return Instant.parse(text);
    } catch (DateTimeException notATime) {
      return null;
    }
  }
}
