package dev.rekindle.controller.kubernetes;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How far this process's clock is from the API server's, by the header that every answer carries.
 * It holds whole seconds, cut off, and is written before the answer travels: true to about a
 * second. Nothing is decided by it.
 */
final class ClockSkew {
  static final String HEADER = "Date";

  /** In the middle of the second that was cut off. */
  private static final Duration CUT = Duration.ofMillis(500);

  private final InstantSource clock;
  private volatile @Nullable Duration last;

  ClockSkew(InstantSource clock) {
    this.clock = clock;
  }

  /** An answer came with these headers of that name. */
  void heard(List<String> dates) {
    if (dates.size() == 1) {
      try {
        Instant theirs =
            Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(dates.getFirst())).plus(CUT);
        last = Duration.between(theirs, clock.instant());
      } catch (DateTimeException | ArithmeticException notOne) {
        // A proxy wrote it; the next answer may have a date that can be read.
      }
    }
  }

  /** Positive where this clock is ahead; empty before the first answer with a date. */
  Optional<Duration> last() {
    return Optional.ofNullable(last);
  }
}
