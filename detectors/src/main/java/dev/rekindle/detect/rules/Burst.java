package dev.rekindle.detect.rules;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One incident on one device: findings without a long silence in between.
 *
 * @param first its first finding
 * @param last its newest
 * @param sticky the newest that keeps it open for longer; null when none does
 * @param open whether it can go on; a driver's all-clear ends it
 * @param counts whether an error of hardware or driver is in it
 * @param codes what is in it, by code and rule, at most {@link #MOST}
 */
public record Burst(
    Instant first,
    Instant last,
    @Nullable Instant sticky,
    boolean open,
    boolean counts,
    Map<String, Seen> codes) {
  private static final int MOST = 24;

  /** An immutable copy. */
  public Burst {
    codes = Map.copyOf(codes);
  }

  static Burst begin(Instant time) {
    return new Burst(time, time, null, true, false, Map.of());
  }

  Burst with(String key, Seen seen, boolean isSticky, boolean isCounted) {
    Map<String, Seen> all = new HashMap<>(codes);
    if (all.containsKey(key) || all.size() < MOST) {
      all.put(key, seen);
    }
    return new Burst(
        first, seen.last(), isSticky ? seen.last() : sticky, open, counts || isCounted, all);
  }

  Burst closed() {
    return new Burst(first, last, null, false, counts, codes);
  }

  boolean contains(String name, Instant since) {
    return codes.values().stream()
        .anyMatch(seen -> seen.name().equals(name) && !seen.last().isBefore(since));
  }
}
