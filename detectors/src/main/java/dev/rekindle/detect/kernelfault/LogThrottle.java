package dev.rekindle.detect.kernelfault;

import dev.rekindle.detect.rules.RuleResult;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.OptionalLong;

/**
 * Limits log lines: the same line is logged at most once a minute, with the number of repeats. Used
 * by one thread.
 */
final class LogThrottle {
  /** Minimum time between two identical lines. */
  static final Duration QUIET = Duration.ofMinutes(1);

  /** Maximum number of distinct lines kept; the oldest is dropped first. */
  private static final int MOST = 256;

  private final LinkedHashMap<News, Entry> entries = new LinkedHashMap<>();

  /**
   * What a line of the log would say.
   *
   * @param finding what was found, as {@code xid 79}
   * @param device where, empty where the record names none
   * @param unit the part of the device, empty where the record names none
   */
  record News(String finding, String device, String unit, RuleResult judgement) {}

  private record Entry(Instant at, long repeats) {}

  /** Number of repeats since the line was last logged; empty while the line is suppressed. */
  OptionalLong admit(News news, Instant now) {
    var before = entries.get(news);
    if (before != null && now.isBefore(before.at().plus(QUIET))) {
      entries.put(news, new Entry(before.at(), before.repeats() + 1));
      return OptionalLong.empty();
    }
    entries.remove(news);
    entries.put(news, new Entry(now, 0));
    if (entries.size() > MOST) {
      entries.remove(entries.firstEntry().getKey());
    }
    return OptionalLong.of(before == null ? 0 : before.repeats());
  }
}
