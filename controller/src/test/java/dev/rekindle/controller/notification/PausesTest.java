package dev.rekindle.controller.notification;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.notification.Answer.Delivered;
import dev.rekindle.controller.notification.Answer.Refused;
import dev.rekindle.controller.notification.Answer.Trouble;
import dev.rekindle.controller.notification.Answer.Unavailable;
import dev.rekindle.controller.runtime.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class PausesTest {
  /** Without jitter: each pause is half of the full one. */
  private static final RandomGenerator LOW =
      new RandomGenerator() {
        @Override
        public long nextLong() {
          return 0;
        }
      };

  private static final Backoff BACKOFF =
      new Backoff(Duration.ofSeconds(2), Duration.ofMinutes(10), LOW);

  private static Unavailable busy(Duration retryAfter) {
    return new Unavailable(Trouble.BUSY, 503, "", retryAfter);
  }

  private static Pauses after(Pauses before, Answer answer) {
    return before.after("a", answer, T0, BACKOFF);
  }

  private static Duration pause(Pauses pauses, String id) {
    Instant until = pauses.notBefore(id);
    return until.equals(Instant.MIN) ? Duration.ZERO : Duration.between(T0, until);
  }

  @Test
  void shouldPauseTheWebhookLongerWithEachFailure() {
    Pauses one = after(Pauses.NONE, busy(Duration.ZERO));
    Pauses two = after(one, busy(Duration.ZERO));
    Pauses many = two;
    for (int i = 0; i < 50; i++) {
      many = after(many, busy(Duration.ZERO));
    }

    assertThat(pause(one, "b")).isEqualTo(Duration.ofSeconds(1));
    assertThat(pause(two, "b")).isEqualTo(Duration.ofSeconds(2));
    assertThat(pause(many, "b")).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void shouldDoAsTheReceiverAsksUpToABound() {
    assertThat(pause(after(Pauses.NONE, busy(Duration.ofSeconds(90))), "a")).hasSeconds(90);
    assertThat(pause(after(Pauses.NONE, busy(Duration.ofDays(4_000))), "a"))
        .isEqualTo(Pauses.LONGEST_WISH);
  }

  @Test
  void shouldPauseOnlyWhatIsRefused() {
    Pauses refused = after(after(Pauses.NONE, new Refused(422)), new Refused(422));

    assertThat(pause(refused, "a")).isEqualTo(Duration.ofSeconds(2));
    assertThat(pause(refused, "b")).isZero();
  }

  @Test
  void shouldContinueAtOnceOnceTheWebhookAnswers() {
    Pauses failed = after(after(Pauses.NONE, busy(Duration.ZERO)), busy(Duration.ZERO));

    assertThat(after(failed, new Delivered())).isEqualTo(Pauses.NONE);
    assertThat(pause(after(failed, new Refused(400)), "b")).isZero();
  }

  @Test
  void shouldForgetRefusalsOfWhatIsNoLongerDue() {
    Pauses refused = after(Pauses.NONE, new Refused(422));

    assertThat(refused.only(Set.of("a"))).isEqualTo(refused);
    assertThat(refused.only(Set.of("b"))).isEqualTo(Pauses.NONE);
  }
}
