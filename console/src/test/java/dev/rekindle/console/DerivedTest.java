package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DerivedTest {
  private final AtomicLong changes = new AtomicLong();
  private final AtomicInteger made = new AtomicInteger();

  @Test
  void shouldMakeItAgainOnlyAfterAChange() {
    Derived<Integer> derived = new Derived<>(changes::get, made::incrementAndGet);
    assertThat(derived.get()).isEqualTo(1);
    assertThat(derived.get()).isEqualTo(1);
    changes.incrementAndGet();
    assertThat(derived.get()).isEqualTo(2);
    assertThat(derived.get()).isEqualTo(2);
  }

  /** What it was made of may have been read before the change. */
  @Test
  void shouldMakeItAgainAfterAChangeWhileItWasMade() {
    Derived<Integer> derived =
        new Derived<>(
            changes::get,
            () -> {
              changes.compareAndSet(0, 1);
              return made.incrementAndGet();
            });
    assertThat(derived.get()).isEqualTo(1);
    assertThat(derived.get()).isEqualTo(2);
    assertThat(derived.get()).isEqualTo(2);
  }
}
