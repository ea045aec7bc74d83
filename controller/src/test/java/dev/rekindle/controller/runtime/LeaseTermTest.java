package dev.rekindle.controller.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LeaseTermTest {
  private long seconds;
  private final LeaseTerm term =
      new LeaseTerm(
          SteadyClock.of(() -> TimeUnit.SECONDS.toNanos(seconds)), Duration.ofSeconds(15));

  @Test
  void shouldNotBeOverBeforeItHasBegun() {
    seconds = 3_600;

    assertThat(term.isOver()).isFalse();
  }

  @Test
  void shouldBeOverOnceOthersMayTakeTheLease() {
    term.renewed(term.now());
    seconds = 14;
    assertThat(term.isOver()).isFalse();
    seconds = 15;
    assertThat(term.isOver()).isTrue();
  }

  @Test
  void shouldCountFromWhenTheRenewalWasSent() {
    Instant sent = term.now();
    seconds = 10;
    term.renewed(sent);
    seconds = 15;
    assertThat(term.isOver()).isTrue();

    term.renewed(term.now());
    assertThat(term.isOver()).isFalse();
  }
}
