package dev.rekindle.detect.judge;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The time of a log as its lines say it: it never goes back, and does not advance on lines without
 * a time. In a log that has only the time since the boot, boots begin at the epoch.
 */
final class LogClock {
  /** Stamps of different processors may be out of order, but not by that much. */
  private static final Duration BACK = Duration.ofSeconds(10);

  /** A step back in the calendar by more than that is another year. */
  private static final Duration HALF_A_YEAR = Duration.ofDays(180);

  private Instant now = Instant.EPOCH;
  private boolean started;
  private boolean calendar;
  private int years;
  private @Nullable LocalDateTime newest;
  private @Nullable Duration sinceBoot;
  private Duration offset = Duration.ZERO;

  /** Takes the stamp of the next line; says whether it shows that the machine has booted. */
  boolean take(Stamp stamp) {
    return switch (stamp) {
      case Stamp.Moment moment -> {
        advance(moment.time());
        calendar = true;
        yield false;
      }
      case Stamp.Yearless yearless -> {
        advance(withYear(yearless.time()));
        yield false;
      }
      case Stamp.SinceBoot since -> sinceBoot(since.time());
      case Stamp.Later later -> {
        advance(now.plus(later.by()));
        yield false;
      }
      case Stamp.None none -> false;
    };
  }

  private boolean sinceBoot(Duration time) {
    var before = sinceBoot;
    var booted = before != null && time.plus(BACK).compareTo(before) < 0;
    if (before == null || booted) {
      // In a log of other stamps, or after a boot, it continues from where it is.
      offset = started ? Duration.between(Instant.EPOCH, now).minus(time) : Duration.ZERO;
    }
    if (before == null || booted || time.compareTo(before) > 0) {
      sinceBoot = time;
    }
    advance(Instant.EPOCH.plus(offset).plus(time));
    return booted;
  }

  private Instant withYear(LocalDateTime time) {
    var before = newest;
    if (before != null && Duration.between(time, before).compareTo(HALF_A_YEAR) > 0) {
      years++;
    }
    newest = time;
    return time.plusYears(years).toInstant(ZoneOffset.UTC);
  }

  private void advance(Instant time) {
    if (!started || time.isAfter(now)) {
      now = time;
    }
    started = true;
  }

  /** The time of the newest line. */
  Instant now() {
    return now;
  }

  /** The time of the newest line as people read it; empty where no line has reported any. */
  Optional<String> text() {
    if (!started) {
      return Optional.empty();
    }
    if (calendar) {
      return Optional.of(now.toString());
    }
    if (newest != null) {
      return Optional.of(now.atOffset(ZoneOffset.UTC).toLocalDateTime().toString().substring(5));
    }
    var since = sinceBoot == null ? Duration.between(Instant.EPOCH, now) : sinceBoot;
    return Optional.of(since.toSeconds() + "." + String.format("%06d", since.toNanosPart() / 1000));
  }
}
