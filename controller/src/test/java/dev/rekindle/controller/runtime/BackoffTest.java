package dev.rekindle.controller.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BackoffTest {
  @Test
  void shouldStayBetweenHalfAndAllOfADoublingDelay() {
    Backoff backoff = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(30), new Random(7));
    for (int failures = 1; failures < 100; failures++) {
      double full = Math.min(30_000, 200 * Math.pow(2, failures - 1));
      for (int i = 0; i < 50; i++) {
        assertThat((double) backoff.after(failures).toMillis())
            .as("failure %d", failures)
            .isBetween(full / 2 - 1, full);
      }
    }
  }
}
