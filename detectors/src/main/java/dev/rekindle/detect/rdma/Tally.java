package dev.rekindle.detect.rdma;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The counters of a port from poll to poll.
 *
 * @param counters as they were
 * @param time when
 * @param hour when the hour of slow symbol errors began
 * @param hourSymbols symbol errors by then
 * @param exceeded polls of the last hour at which a threshold was exceeded
 * @param news what exceeded it at the newest poll, as {@code symbol_error +300 in 15 s}, by its
 *     code
 * @param reset whether counters began again at the newest poll
 */
record Tally(
    NavigableMap<String, Long> counters,
    @Nullable Instant time,
    @Nullable Instant hour,
    long hourSymbols,
    List<Instant> exceeded,
    NavigableMap<String, String> news,
    boolean reset) {
  private static final Duration WINDOW = Duration.ofHours(1);
  private static final int MOST = 64;
  static final int MANY = 3;

  static final Tally NEW =
      new Tally(new TreeMap<>(), null, null, 0, List.of(), new TreeMap<>(), false);

  Tally {
    counters = new TreeMap<>(counters);
    exceeded = List.copyOf(exceeded);
    news = new TreeMap<>(news);
  }

  Tally and(PortReading port, Instant now) {
    var symbols = port.counters().getOrDefault("symbol_error", 0L);
    var before = time;
    var began = hour;
    if (before == null || began == null || !before.isBefore(now)) {
      return new Tally(port.counters(), now, now, symbols, exceeded, new TreeMap<>(), false);
    }
    NavigableMap<String, String> found = new TreeMap<>();
    var less = false;
    var lasted = Duration.between(before, now);
    for (var threshold : Threshold.ALL) {
      var old = counters.get(threshold.counter());
      var current = port.counters().get(threshold.counter());
      if (old == null || current == null) {
        continue;
      }
      less |= current < old;
      note(threshold, current - old, lasted, found);
    }
    note(Threshold.SLOW_SYMBOL_ERRORS, symbols - hourSymbols, WINDOW, found);
    var anew =
        less
            || !now.isBefore(began.plus(WINDOW))
            || found.containsKey(Threshold.SLOW_SYMBOL_ERRORS.code());
    List<Instant> looks = new ArrayList<>(less ? List.of() : exceeded);
    looks.removeIf(one -> one.isBefore(now.minus(WINDOW)));
    if (!found.isEmpty()) {
      looks.add(now);
    }
    return new Tally(
        port.counters(),
        now,
        anew ? now : began,
        anew ? symbols : hourSymbols,
        looks.subList(Math.max(0, looks.size() - MOST), looks.size()),
        found,
        less);
  }

  private static void note(
      Threshold threshold, long growth, Duration time, NavigableMap<String, String> found) {
    if (threshold.isExceeded(growth, time)) {
      found.putIfAbsent(
          threshold.code(),
          threshold.counter() + " grew by " + growth + " in " + time.toSeconds() + " s");
    }
  }
}
