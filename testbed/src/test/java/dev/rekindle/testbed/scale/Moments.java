package dev.rekindle.testbed.scale;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * When what happened in one recovery, all by one clock, and whose time it was: between two moments
 * either the controller has to act, or it waits for others.
 */
final class Moments {
  /**
   * A stretch of a recovery.
   *
   * @param name what happened
   * @param own whether the controller had to act, and nobody else
   * @param seconds how long it took
   */
  record Part(String name, boolean own, double seconds) {}

  private final Map<Moment, Instant> times = new EnumMap<>(Moment.class);

  /** Notes a moment, unless it was noted before. */
  synchronized void first(Moment moment, Instant at) {
    times.putIfAbsent(moment, at);
  }

  /** Notes a moment anew. */
  synchronized void last(Moment moment, Instant at) {
    times.put(moment, at);
  }

  synchronized Optional<Instant> at(Moment moment) {
    return Optional.ofNullable(times.get(moment));
  }

  /** What the time from the fault to the end of the recovery was spent on. */
  synchronized List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    if (times.containsKey(Moment.SUSPENDED)) {
      add(parts, "fence and suspend", true, Moment.FAULT, Moment.SUSPENDED);
      add(parts, "drain", false, Moment.SUSPENDED, Moment.DRAINED);
      add(parts, "plan", true, Moment.DRAINED, Moment.RESUMED);
      add(parts, "create", false, Moment.RESUMED, Moment.RUNNING);
      add(parts, "first report", false, Moment.RUNNING, Moment.TRAINING);
      add(parts, "verify", true, Moment.TRAINING, Moment.RECOVERED);
      return parts;
    }
    add(parts, "fence and order", true, Moment.FAULT, Moment.FREEZE_ORDERED);
    add(parts, "freeze", false, Moment.FREEZE_ORDERED, Moment.FROZEN);
    add(parts, "delete", true, Moment.FROZEN, Moment.DELETED);
    add(parts, "replace", false, Moment.DELETED, Moment.PLACED);
    if (times.containsKey(Moment.LEADER_ORDERED)) {
      add(parts, "pin and order", true, Moment.PLACED, Moment.LEADER_ORDERED);
      add(parts, "kill the leader", false, Moment.LEADER_ORDERED, Moment.LEADER_DEAD);
      add(parts, "order all", true, Moment.LEADER_DEAD, Moment.ALL_ORDERED);
    } else {
      add(parts, "pin and order all", true, Moment.PLACED, Moment.ALL_ORDERED);
    }
    add(parts, "restart", false, Moment.ALL_ORDERED, Moment.RESTARTED);
    // The recovery waits for the reports, for the replacement and for a new step, in any order.
    Instant reported = times.get(Moment.RESTARTED);
    Instant end = times.get(Moment.RECOVERED);
    Optional<Instant> last =
        Stream.of(Moment.RESTARTED, Moment.REPLACED, Moment.TRAINING)
            .map(times::get)
            .filter(Objects::nonNull)
            .max(Instant::compareTo);
    if (reported != null && end != null && last.isPresent()) {
      parts.add(new Part("first report", false, seconds(reported, last.get())));
      parts.add(new Part("verify", true, seconds(last.get(), end)));
    }
    return parts;
  }

  private void add(List<Part> parts, String name, boolean own, Moment from, Moment to) {
    Instant begin = times.get(from);
    Instant end = times.get(to);
    if (begin != null && end != null) {
      parts.add(new Part(name, own, seconds(begin, end)));
    }
  }

  /** Never negative: two watches may tell in another order what happened at nearly one time. */
  private static double seconds(Instant from, Instant to) {
    return Math.max(0, Duration.between(from, to).toMillis()) / 1000.0;
  }
}
