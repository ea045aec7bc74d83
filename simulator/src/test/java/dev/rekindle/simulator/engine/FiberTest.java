package dev.rekindle.simulator.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How fibers take turns. */
@Timeout(120)
class FiberTest extends FiberFixture {
  @Test
  void shouldBeginWithTheNextEventAndNotBefore() {
    Fiber fiber = start(() -> say("began"));
    assertThat(said).isEmpty();
    runFor(0);
    assertThat(said).containsExactly("0 began");
    assertThat(fiber.ended()).isTrue();
  }

  @Test
  void shouldContinueInTheOrderOfTheSleeps() {
    start(sleeper("a", 30, 30));
    start(sleeper("b", 10, 25));
    start(sleeper("c", 20, 20));
    runFor(100);

    assertThat(said)
        .containsExactly("0 a", "0 b", "0 c", "10 b", "20 c", "30 a", "35 b", "40 c", "60 a");
  }

  @Test
  void shouldLetAllOfOneTimeRunInTheOrderInWhichTheyWentToSleep() {
    start(sleeper("a", 10));
    start(sleeper("b", 10));
    loop.after(Duration.ofMillis(10), () -> say("event"));
    start(sleeper("c", 10));
    runFor(10);

    // The event was requested before any of them slept.
    assertThat(said).containsExactly("0 a", "0 b", "0 c", "10 event", "10 a", "10 b", "10 c");
  }

  @Test
  void shouldShowItsFailureToTheLoop() {
    IllegalArgumentException broken = new IllegalArgumentException("broken");
    start(
        () -> {
          Fiber.sleep(Duration.ofMillis(10));
          throw broken;
        });
    runFor(9);
    assertThatThrownBy(() -> runFor(1)).hasMessage("a fiber failed").hasCause(broken);
    runFor(100);
  }

  @Test
  void shouldNotRunOnBeforeItMay() {
    start(sleeper("a", 10, 10));
    runFor(5);
    notBefore = 100_000;
    runFor(94);
    assertThat(said).containsExactly("0 a");
    runFor(20);
    assertThat(said).containsExactly("0 a", "100 a", "110 a");
  }

  @Test
  void shouldWaitOnWhenThePauseGrowsMeanwhile() {
    start(sleeper("a", 10));
    runFor(5);
    notBefore = 50_000;
    runFor(15);
    notBefore = 80_000;
    runFor(100);
    assertThat(said).containsExactly("0 a", "80 a");
  }

  @Test
  void shouldRestUntilItIsWoken() {
    Fiber fiber =
        start(
            () -> {
              say("rests");
              Fiber.park();
              say("goes on");
              Fiber.park();
              say("never");
            });
    runFor(50);
    fiber.wake();
    assertThat(said).containsExactly("0 rests");
    runFor(50);
    assertThat(said).containsExactly("0 rests", "50 goes on");
    fiber.kill();
    assertThat(fiber.ended()).isTrue();
  }

  @Test
  void shouldKnowWhichOneRuns() {
    List<Fiber> seen = new ArrayList<>();
    Runnable body =
        () -> {
          seen.add(Fiber.current());
          Fiber.sleep(Duration.ofMillis(1));
          seen.add(Fiber.current());
        };
    Fiber a = start(body);
    Fiber b = start(body);
    runFor(10);
    assertThat(seen).containsExactly(a, b, a, b);
  }
}
