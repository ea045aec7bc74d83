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
final class Milestones {
  /**
   * A stretch of a recovery.
   *
   * @param name what happened
   * @param own whether the controller had to act, and no other
   * @param seconds how long it took
   */
  record Part(String name, boolean own, double seconds) {}

  private final Map<Milestone, Instant> times = new EnumMap<>(Milestone.class);

  /** Notes a moment, unless it was noted before. */
  synchronized void first(Milestone moment, Instant at) {
    times.putIfAbsent(moment, at);
  }

  /** Notes a moment again. */
  synchronized void last(Milestone moment, Instant at) {
    times.put(moment, at);
  }

  synchronized Optional<Instant> at(Milestone moment) {
    return Optional.ofNullable(times.get(moment));
  }

  /** What the time from the fault to the end of the recovery was spent on. */
  synchronized List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    if (times.containsKey(Milestone.SUSPENDED)) {
      add(parts, "fence and suspend", true, Milestone.FAULT, Milestone.SUSPENDED);
      add(parts, "drain", false, Milestone.SUSPENDED, Milestone.DRAINED);
      add(parts, "plan", true, Milestone.DRAINED, Milestone.RESUMED);
      add(parts, "create", false, Milestone.RESUMED, Milestone.RUNNING);
      add(parts, "first report", false, Milestone.RUNNING, Milestone.TRAINING);
      add(parts, "verify", true, Milestone.TRAINING, Milestone.RECOVERED);
      return parts;
    }
    add(parts, "fence and order", true, Milestone.FAULT, Milestone.FREEZE_ORDERED);
    add(parts, "freeze", false, Milestone.FREEZE_ORDERED, Milestone.FROZEN);
    add(parts, "delete", true, Milestone.FROZEN, Milestone.DELETED);
    add(parts, "replace", false, Milestone.DELETED, Milestone.PLACED);
    if (times.containsKey(Milestone.LEADER_ORDERED)) {
      add(parts, "pin and order", true, Milestone.PLACED, Milestone.LEADER_ORDERED);
      add(parts, "kill the leader", false, Milestone.LEADER_ORDERED, Milestone.LEADER_DEAD);
      add(parts, "order all", true, Milestone.LEADER_DEAD, Milestone.ALL_ORDERED);
    } else {
      add(parts, "pin and order all", true, Milestone.PLACED, Milestone.ALL_ORDERED);
    }
    add(parts, "restart", false, Milestone.ALL_ORDERED, Milestone.RESTARTED);
    // The recovery waits for the reports, for the replacement and for a new step, in any order.
    Instant reported = times.get(Milestone.RESTARTED);
    Instant end = times.get(Milestone.RECOVERED);
    Optional<Instant> last =
        Stream.of(Milestone.RESTARTED, Milestone.REPLACED, Milestone.TRAINING)
            .map(times::get)
            .filter(Objects::nonNull)
            .max(Instant::compareTo);
    if (reported != null && end != null && last.isPresent()) {
      parts.add(new Part("first report", false, seconds(reported, last.get())));
      parts.add(new Part("verify", true, seconds(last.get(), end)));
    }
    return parts;
  }

  private void add(List<Part> parts, String name, boolean own, Milestone from, Milestone to) {
    Instant begin = times.get(from);
    Instant end = times.get(to);
    if (begin != null && end != null) {
      parts.add(new Part(name, own, seconds(begin, end)));
    }
  }

  /** Never negative: two watches may show in another order what happened at nearly one time. */
  private static double seconds(Instant from, Instant to) {
    return Math.max(0, Duration.between(from, to).toMillis()) / 1000.0;
  }
}
