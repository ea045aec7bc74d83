package dev.rekindle.testbed;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waiting by polling. Every wait has an end and says what it waited for. */
final class Await {
  private static final Duration POLL = Duration.ofMillis(50);

  private Await() {}

  /** Waits until the probe gives something. */
  static <T> T value(String what, Duration limit, Supplier<Optional<T>> probe) {
    return value(what, limit, probe, () -> "");
  }

  /** The same; {@code state} is asked once, for the message, when it takes too long. */
  static <T> T value(
      String what, Duration limit, Supplier<Optional<T>> probe, Supplier<String> state) {
    Instant deadline = Instant.now().plus(limit);
    while (true) {
      // Before the probe: one that began in time and was held up says nothing of the present.
      boolean last = Instant.now().isAfter(deadline);
      Optional<T> found = probe.get();
      if (found.isPresent()) {
        return found.get();
      }
      if (last) {
        throw new AssertionError(
            "not within %d s: %s. %s".formatted(limit.toSeconds(), what, state.get()));
      }
      pause(POLL);
    }
  }

  /** Waits until the condition holds. */
  static void until(String what, Duration limit, BooleanSupplier condition) {
    until(what, limit, condition, () -> "");
  }

  /** The same; {@code state} is asked once, for the message, when it takes too long. */
  static void until(
      String what, Duration limit, BooleanSupplier condition, Supplier<String> state) {
    value(
        what, limit, () -> condition.getAsBoolean() ? Optional.of(true) : Optional.empty(), state);
  }

  /** Lets the time pass in which something must not happen; fails at once when it does. */
  static void never(String what, Duration time, BooleanSupplier happened) {
    Instant end = Instant.now().plus(time);
    while (Instant.now().isBefore(end)) {
      if (happened.getAsBoolean()) {
        throw new AssertionError("must not happen: " + what);
      }
      pause(POLL.multipliedBy(4));
    }
  }

  /** Sleeps; the tests of the testbed are the only ones that may. */
  static void pause(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
