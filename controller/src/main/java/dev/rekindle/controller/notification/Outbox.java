package dev.rekindle.controller.notification;

import dev.rekindle.controller.runtime.Backoff;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What one webhook is owed, between the reconcile that finds it and the thread that sends it. Holds
 * {@link #MOST} at most: what is more is found again by a later one. What was refused comes last,
 * so that a thousand that are refused each time keep none that is newer waiting.
 */
final class Outbox {
  /** Most that wait here. */
  static final int MOST = 1_000;

  private final InstantSource steady;
  private final Backoff backoff;
  private final Set<String> delivered = new HashSet<>();
  private List<Notification> due = List.of();
  private Pauses pauses = Pauses.NONE;

  /**
   * @param steady a clock that never steps
   */
  Outbox(InstantSource steady, Backoff backoff) {
    this.steady = steady;
    this.backoff = backoff;
  }

  /** What is due now, oldest first. */
  synchronized void offer(List<Notification> now) {
    pauses = pauses.only(now.stream().map(Notification::id).collect(Collectors.toSet()));
    due =
        now.stream()
            .sorted(Comparator.comparing((Notification n) -> pauses.isRefused(n.id())))
            .limit(MOST)
            .toList();
  }

  /** What may be sent now; empty when there is nothing, or it is to wait. */
  synchronized Optional<Notification> next() {
    Instant now = steady.instant();
    return due.stream()
        .filter(n -> !delivered.contains(n.id()) && !pauses.notBefore(n.id()).isAfter(now))
        .findFirst();
  }

  /** What came of sending it. */
  synchronized void answered(Notification notification, Answer answer) {
    pauses = pauses.after(notification.id(), answer, steady.instant(), backoff);
    if (answer instanceof Answer.Delivered) {
      delivered.add(notification.id());
    }
  }

  /** How often in a row the webhook was not available. */
  synchronized int failures() {
    return pauses.failures();
  }

  /** What was delivered and is not known to be stored. */
  synchronized Set<String> delivered() {
    return Set.copyOf(delivered);
  }

  /** All that is stored now, and what is not among it is too old. */
  synchronized void stored(Set<String> before) {
    delivered.removeAll(before);
  }
}
