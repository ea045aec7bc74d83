package dev.rekindle.controller.notification;

import dev.rekindle.controller.notification.Answer.Unavailable;
import dev.rekindle.controller.runtime.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * When a webhook is tried again: it as a whole after it was not available, one notification alone
 * after it was refused. Pauses grow; a receiver may request more, up to a bound. Times are those of
 * a clock that never steps.
 *
 * @param failures how often in a row it was not available
 * @param notBefore when it is tried again
 * @param refused notifications that were refused
 */
record Pauses(int failures, Instant notBefore, Map<String, Refusal> refused) {
  static final Pauses NONE = new Pauses(0, Instant.MIN, Map.of());

  /** No receiver may silence us for longer. */
  static final Duration LONGEST_WISH = Duration.ofMinutes(10);

  /**
   * How a notification was refused.
   *
   * @param times how often
   * @param notBefore when it is tried again
   */
  record Refusal(int times, Instant notBefore) {}

  Pauses {
    refused = Map.copyOf(refused);
  }

  /** What follows from an answer. */
  Pauses after(String id, Answer answer, Instant now, Backoff backoff) {
    Map<String, Refusal> next = new HashMap<>(refused);
    return switch (answer) {
      case Answer.Delivered _ -> {
        next.remove(id);
        yield new Pauses(0, Instant.MIN, next);
      }
      case Answer.Refused _ -> {
        int times = timesRefused(id) + 1;
        next.put(id, new Refusal(times, now.plus(backoff.after(times))));
        yield new Pauses(0, Instant.MIN, next);
      }
      case Unavailable unavailable -> {
        Duration pause = backoff.after(failures + 1);
        Duration wish = unavailable.retryAfter();
        Duration bounded = wish.compareTo(LONGEST_WISH) > 0 ? LONGEST_WISH : wish;
        Duration longer = bounded.compareTo(pause) > 0 ? bounded : pause;
        yield new Pauses(failures + 1, now.plus(longer), next);
      }
    };
  }

  private int timesRefused(String id) {
    return Optional.ofNullable(refused.get(id)).map(Refusal::times).orElse(0);
  }

  /** Whether the notification was refused, and not taken since. */
  boolean isRefused(String id) {
    return refused.containsKey(id);
  }

  /** The same without refusals of what is no longer due. */
  Pauses only(Set<String> due) {
    Map<String, Refusal> next = new HashMap<>(refused);
    next.keySet().retainAll(due);
    return new Pauses(failures, notBefore, next);
  }

  /** When the notification may be tried. */
  Instant notBefore(String id) {
    Refusal refusal = refused.get(id);
    return refusal == null || refusal.notBefore().isBefore(notBefore)
        ? notBefore
        : refusal.notBefore();
  }
}
