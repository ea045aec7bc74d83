package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AllowanceTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
  private final Allowance allowance = new Allowance(20, nanos::get);

  private long taken(int asked) {
    return IntStream.range(0, asked).filter(_ -> allowance.take()).count();
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Test
  void shouldAllowSoManyAtOnce() {
    assertThat(taken(1000)).isEqualTo(20);
  }

  @Test
  void shouldAllowSoManyASecond() {
    taken(20);
    pass(Duration.ofMillis(250));
    assertThat(taken(1000)).isEqualTo(5);
    pass(Duration.ofMillis(49));
    assertThat(taken(1000)).isZero();
    pass(Duration.ofMillis(2));
    assertThat(taken(1000)).isEqualTo(1);
  }

  @Test
  void shouldSaveNoneUpBeyondASecond() {
    taken(20);
    pass(Duration.ofHours(1));
    assertThat(taken(1000)).isEqualTo(20);
  }
}
