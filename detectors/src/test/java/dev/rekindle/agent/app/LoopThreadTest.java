package dev.rekindle.agent.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoopThreadTest {
  private static final Duration FOR_EVER = Duration.ofDays(1);
  private static final Duration STUCK = Duration.ofMinutes(2);

  private final LinkedBlockingQueue<String> done = new LinkedBlockingQueue<>();
  private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final LoopThread rounds = new LoopThread("test", () -> now);

  @AfterEach
  void end() {
    rounds.close();
  }

  private Duration round() {
    done.add("round");
    return FOR_EVER;
  }

  private boolean cameARound() throws InterruptedException {
    return done.poll(60, TimeUnit.SECONDS) != null;
  }

  @Test
  void shouldDoARoundAtOnceAndWheneverWoken() throws InterruptedException {
    rounds.start(FOR_EVER, this::round);
    assertThat(cameARound()).isTrue();
    rounds.wake();
    assertThat(cameARound()).isTrue();
    assertThat(rounds.notAlive(STUCK)).isEmpty();
  }

  @Test
  void shouldContinueAfterTheNamedPauseWhenNothingWakesIt() throws InterruptedException {
    rounds.start(
        FOR_EVER,
        () -> {
          done.add("round");
          return Duration.ofMillis(1);
        });
    assertThat(cameARound()).isTrue();
    assertThat(cameARound()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldContinueWhenARoundThrows(boolean error) throws InterruptedException {
    rounds.start(
        Duration.ofMillis(1),
        () -> {
          done.add("round");
          if (error) {
            throw new StackOverflowError("thrown by the test");
          }
          throw new IllegalStateException("thrown by the test");
        });
    assertThat(cameARound()).isTrue();
    assertThat(cameARound()).isTrue();
    assertThat(rounds.notAlive(STUCK)).isEmpty();
  }

  @Test
  void shouldSayThatItIsStuckOrHasEnded() throws InterruptedException {
    assertThat(rounds.notAlive(STUCK)).as("not started yet").isEmpty();
    rounds.start(FOR_EVER, this::round);
    assertThat(cameARound()).isTrue();
    now = now.plus(STUCK).plusSeconds(1);
    assertThat(rounds.notAlive(STUCK)).isEqualTo("the test loop is stuck");
    // A second round begins when the time of the first is noted.
    rounds.wake();
    rounds.wake();
    assertThat(cameARound()).isTrue();
    rounds.wake();
    assertThat(cameARound()).isTrue();
    assertThat(rounds.notAlive(STUCK)).isEmpty();
    rounds.close();
    assertThat(rounds.notAlive(STUCK)).isEqualTo("the test loop has ended");
  }
}
