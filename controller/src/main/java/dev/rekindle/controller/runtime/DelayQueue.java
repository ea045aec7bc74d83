package dev.rekindle.controller.runtime;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Which key is due when. A key stands in it at most once, at the earliest time requested, and is
 * handed out to one taker at a time. Not thread-safe.
 */
final class DelayQueue<K> {
  private record Entry<K>(K key, Instant at, long order) {}

  private final Map<K, Instant> due = new HashMap<>();

  /** Entries that no key confirms, beyond one for each key, before they are taken out. */
  private static final int SUPERSEDED = 64;

  /** May hold entries that {@link #due} no longer confirms; they are skipped. */
  private final PriorityQueue<Entry<K>> entries =
      new PriorityQueue<>(
          Comparator.comparing((Entry<K> entry) -> entry.at()).thenComparingLong(Entry::order));

  private final Set<K> inHand = new HashSet<>();

  /** Keys given back lately, and until when they are to be left alone. */
  private final Map<K, Instant> resting = new HashMap<>();

  private long order;

  /** Asks for the key at that time, or when it has rested; unless it is requested earlier. */
  void add(K key, Instant time) {
    Instant rested = resting.getOrDefault(key, time);
    Instant at = rested.isAfter(time) ? rested : time;
    Instant asked = due.get(key);
    if (asked != null && !at.isBefore(asked)) {
      return;
    }
    due.put(key, at);
    enter(key, at);
  }

  private void enter(K key, Instant at) {
    if (!inHand.contains(key)) {
      entries.add(new Entry<>(key, at, order++));
      if (entries.size() > 2 * due.size() + SUPERSEDED) {
        removeSuperseded();
      }
    }
  }

  /**
   * A key that is asked for again and again before it is due leaves an entry each time, and one
   * that is due in a week would be skipped in a week.
   */
  private void removeSuperseded() {
    Set<K> confirmed = new HashSet<>();
    entries.removeIf(
        entry ->
            !entry.at().equals(due.get(entry.key()))
                || inHand.contains(entry.key())
                || !confirmed.add(entry.key()));
  }

  /** Hands out the key that is due longest, until {@link #done}. */
  Optional<K> take(Instant now) {
    Optional<Instant> next = next();
    if (next.isEmpty() || next.get().isAfter(now)) {
      return Optional.empty();
    }
    K key = entries.remove().key();
    due.remove(key);
    inHand.add(key);
    return Optional.of(key);
  }

  /** When the next key that is in no worker's hand is due. */
  Optional<Instant> next() {
    while (!entries.isEmpty()) {
      Entry<K> first = entries.peek();
      if (first.at().equals(due.get(first.key())) && !inHand.contains(first.key())) {
        return Optional.of(first.at());
      }
      entries.remove();
    }
    return Optional.empty();
  }

  /** Gives a key back, which is to rest for so long. */
  void done(K key, Instant now, Duration rest) {
    inHand.remove(key);
    resting.values().removeIf(until -> !until.isAfter(now));
    if (rest.isPositive()) {
      resting.put(key, now.plus(rest));
    }
    Instant asked = due.remove(key);
    if (asked != null) {
      add(key, asked);
    }
  }

  /** What is held for the keys, with what is skipped. */
  int entries() {
    return entries.size();
  }

  int size() {
    return due.size();
  }

  /** How many keys are due at that time. */
  int due(Instant now) {
    return (int) due.values().stream().filter(at -> !at.isAfter(now)).count();
  }
}
