package dev.rekindle.console;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is made of something that changes, made again only after a change: pages are loaded far more
 * often than objects change. One caller makes it, the others wait for that.
 *
 * @param <T> what is made
 */
final class Derived<T> {
  private record Made<T>(long changes, T value) {}

  private final LongSupplier changes;
  private final Supplier<T> make;
  private final AtomicReference<@Nullable Made<T>> last = new AtomicReference<>();

  /**
   * @param changes how many there were; counted after each shows in what it is made of
   * @param make makes it
   */
  Derived(LongSupplier changes, Supplier<T> make) {
    this.changes = changes;
    this.make = make;
  }

  T get() {
    Made<T> made = last.get();
    return made != null && made.changes() == changes.getAsLong() ? made.value() : makeAgain();
  }

  private synchronized T makeAgain() {
    // Counted first: a change while it is made makes the next call make it again.
    long now = changes.getAsLong();
    Made<T> made = last.get();
    if (made == null || made.changes() != now) {
      made = new Made<>(now, make.get());
      last.set(made);
    }
    return made.value();
  }
}
