package dev.rekindle.simulator.chaos;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/** Since when a check sees what must not last, by what names it. */
final class Overdue {
  private final Check check;
  private final Map<String, Instant> since = new HashMap<>();

  Overdue(Check check) {
    this.check = check;
  }

  /** Whether that, which is so now, has been so for longer than the bound. */
  boolean lasts(String what, Duration bound) {
    Instant now = check.now();
    return since.computeIfAbsent(what, _ -> now).plus(bound).isBefore(now);
  }

  /** Since when that is so, of what was asked about and not ended since. */
  Instant since(String what) {
    return Objects.requireNonNull(since.get(what));
  }

  /** That is not so. */
  void end(String what) {
    since.remove(what);
  }

  /** None of these is so. */
  void endIf(Predicate<String> these) {
    since.keySet().removeIf(these);
  }

  /** Nothing but these is so. */
  void endAllBut(Set<String> these) {
    since.keySet().retainAll(these);
  }

  /** Nothing is so. */
  void endAll() {
    since.clear();
  }

  /** What is so now counts from now on. */
  void restart() {
    since.replaceAll((_, _) -> check.now());
  }

  /** Whether nothing is so. */
  boolean isEmpty() {
    return since.isEmpty();
  }
}
