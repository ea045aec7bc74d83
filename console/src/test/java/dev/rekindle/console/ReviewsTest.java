package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ReviewsTest {
  private final AtomicInteger asked = new AtomicInteger();
  private Instant now = Given.T0;
  private final Reviews<String, Integer> reviews =
      new Reviews<>(Duration.ofSeconds(30), 2, () -> now);

  private int get(String key) {
    return reviews.get(key, asked::incrementAndGet);
  }

  @Test
  void shouldBelieveAnAnswerForAWhile() {
    assertThat(get("a")).isEqualTo(1);
    now = now.plusSeconds(30);
    assertThat(get("a")).isEqualTo(1);
    now = now.plusSeconds(1);
    assertThat(get("a")).isEqualTo(2);
  }

  @Test
  void shouldNotBelieveLongerWhereTheClockIsSetBack() {
    get("a");
    now = now.minusSeconds(3600);
    assertThat(get("a")).isEqualTo(2);
  }

  @Test
  void shouldForgetTheOldestWhereThereAreTooMany() {
    get("a");
    get("b");
    get("c");
    assertThat(reviews.known("a")).isEmpty();
    assertThat(reviews.known("c")).isPresent();
  }
}
