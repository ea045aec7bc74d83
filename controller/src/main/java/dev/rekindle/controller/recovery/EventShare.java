package dev.rekindle.controller.recovery;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * How many events on jobs of one namespace are written. Who may edit a job can have Rekindle say
 * something else of it many times a second, each time in another Event: all of them for an hour are
 * more than etcd is made for, and those of others would wait or be dropped meanwhile.
 */
final class EventShare {
  /** Events at once, as where all jobs of a namespace have the same trouble. */
  static final int AT_ONCE = 200;

  /** Until there may be one more. */
  static final Duration ONE_MORE = Duration.ofSeconds(1);

  /** By namespace; only of those that have written some of late. */
  private final Map<String, Left> spent = new HashMap<>();

  private record Left(int events, Instant at) {
    private Left now(Instant now) {
      // Where the clock was set back, time counts from then on.
      long more = Math.max(0, Duration.between(at, now).dividedBy(ONE_MORE));
      return new Left(
          (int) Math.min(AT_ONCE, events + more),
          now.isBefore(at) ? now : at.plus(ONE_MORE.multipliedBy(more)));
    }
  }

  /** Takes one; false where none is left: to be asked for again. */
  synchronized boolean take(String namespace, Instant now) {
    Left left = spent.getOrDefault(namespace, new Left(AT_ONCE, now)).now(now);
    spent.values().removeIf(other -> other.now(now).events() == AT_ONCE);
    if (left.events() == 0) {
      return false;
    }
    spent.put(namespace, new Left(left.events() - 1, left.at()));
    return true;
  }
}
