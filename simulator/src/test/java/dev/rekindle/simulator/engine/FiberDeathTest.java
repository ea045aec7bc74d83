package dev.rekindle.simulator.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How fibers die. */
@Timeout(120)
class FiberDeathTest extends FiberFixture {
  @Test
  void shouldUnwindAtOnceAndNeverRunOnWhenKilled() {
    Fiber fiber =
        start(
            () -> {
              try {
                say("works");
                Fiber.sleep(Duration.ofMillis(50));
                say("never");
              } finally {
                say("unwinds");
              }
              say("never");
            });
    runFor(20);
    fiber.kill();
    assertThat(said).containsExactly("0 works", "20 unwinds");
    assertThat(fiber.ended()).isTrue();
    runFor(100);
    assertThat(said).hasSize(2);
  }

  @Test
  void shouldEndEvenWhereItTakesTheKillForAFailedCallAndSleepsAgain() {
    Fiber fiber =
        start(
            () -> {
              while (true) {
                try {
                  Fiber.sleep(Duration.ofMillis(10));
                } catch (RuntimeException failed) {
                  say("tries again");
                }
              }
            });
    runFor(15);
    fiber.kill();
    runFor(100);
    assertThat(fiber.ended()).isTrue();
    assertThat(said).isEmpty();
  }

  @Test
  void shouldEndAtItsNextWaitWhereSomebodyCaughtItsDeath() {
    Fiber fiber =
        start(
            () -> {
              try {
                Fiber.sleep(Duration.ofMillis(10));
              } catch (Throwable death) {
                say("a look failed");
              }
              Fiber.park();
              say("never");
            });
    runFor(5);
    fiber.kill();
    assertThat(said).containsExactly("5 a look failed");
    assertThat(fiber.ended()).isTrue();
  }

  @Test
  void shouldNotEvenBeginWhenKilledBeforeItsFirstTurn() {
    Fiber fiber = start(() -> say("never"));
    fiber.kill();
    fiber.kill();
    runFor(10);
    assertThat(said).isEmpty();
    assertThat(fiber.ended()).isTrue();
  }

  @Test
  void shouldDieWhilePaused() {
    Fiber fiber = start(sleeper("a", 10));
    runFor(5);
    notBefore = 50_000;
    runFor(10);
    fiber.kill();
    runFor(100);
    assertThat(said).containsExactly("0 a");
    assertThat(fiber.ended()).isTrue();
  }
}
