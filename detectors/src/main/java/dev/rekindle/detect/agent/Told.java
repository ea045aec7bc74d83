package dev.rekindle.detect.agent;

import dev.rekindle.detect.rules.Judgement;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.OptionalLong;

/**
 * What was logged lately, so that a storm of one fault does not become a storm of log lines. Used
 * by one thread.
 */
final class Told {
  /** The same is logged again after this. */
  static final Duration QUIET = Duration.ofMinutes(1);

  /** So many are remembered; of a forgotten one the next line is logged. */
  private static final int MOST = 256;

  private final LinkedHashMap<News, Entry> entries = new LinkedHashMap<>();

  /**
   * What a line of the log would say.
   *
   * @param finding what was found, as {@code xid 79}
   * @param device where, empty where the record names none
   * @param unit the part of the device, empty where the record names none
   */
  record News(String finding, String device, String unit, Judgement judgement) {}

  private record Entry(Instant at, long repeats) {}

  /** How often it came since it was logged; empty when it is not to be logged now. */
  OptionalLong tell(News news, Instant now) {
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
