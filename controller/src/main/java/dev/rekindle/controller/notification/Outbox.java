package dev.rekindle.controller.notification;

import dev.rekindle.controller.runtime.Backoff;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What one webhook is owed, between the reconcile that finds it and the thread that sends it. Holds
 * {@link #MOST} at most: what is more is found again by a later one.
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
    due = now.stream().limit(MOST).toList();
    pauses = pauses.only(due.stream().map(Notification::id).collect(Collectors.toSet()));
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
