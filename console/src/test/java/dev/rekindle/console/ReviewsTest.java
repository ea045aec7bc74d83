package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
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

  /** A second one would ask again as long as the first has no answer. */
  @Test
  void shouldAskOnceForAllThatWantTheSame() throws Exception {
    CountDownLatch asking = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    FutureTask<Integer> first =
        new FutureTask<>(
            () ->
                reviews.get(
                    "a",
                    () -> {
                      asking.countDown();
                      await(answered);
                      return asked.incrementAndGet();
                    }));
    FutureTask<Integer> second = new FutureTask<>(() -> get("a"));
    Thread.ofPlatform().start(first);
    await(asking);
    Thread waiting = Thread.ofPlatform().start(second);
    while (waiting.getState() != Thread.State.WAITING && !second.isDone()) {
      Thread.onSpinWait();
    }
    answered.countDown();

    assertThat(first.get()).isEqualTo(1);
    assertThat(second.get()).isEqualTo(1);
  }

  @Test
  void shouldAskAgainAfterNoAnswer() {
    assertThatThrownBy(
            () ->
                reviews.get(
                    "a",
                    () -> {
                      throw new KubernetesClientException("no answer");
                    }))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessage("no answer");
    assertThat(get("a")).isEqualTo(1);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
