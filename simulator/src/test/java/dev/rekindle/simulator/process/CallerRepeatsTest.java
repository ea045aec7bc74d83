package dev.rekindle.simulator.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.simulator.api.ApiError;
import dev.rekindle.simulator.engine.Fiber;
import dev.rekindle.simulator.process.NetworkFaults.Fate;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that are repeated, and those of a caller that died. */
@Timeout(120)
class CallerRepeatsTest extends CallerFixture {
  @ParameterizedTest
  @ValueSource(ints = {ApiError.CONFLICT, ApiError.NOT_FOUND, ApiError.BAD_REQUEST})
  void shouldNotRepeatWhatTheApiServerRefused(int code) {
    start(
        () ->
            caller.call(
                () -> {
                  effects.add(loop.micros());
                  throw new ApiError(code, "refused");
                }));
    runFor(Duration.ofMinutes(1));
    assertThat(effects).hasSize(1);
    assertThat(ends).hasSize(1).first().asString().endsWith("error " + code);
  }

  @Test
  void shouldAnswerTheFirstOfTwoWhereTheSecondIsRefused() {
    weathers.add(all(Fate.DOUBLED));

    start(
        () ->
            caller.call(
                () -> {
                  String answer = effect();
                  if (effects.size() == 2) {
                    throw new ApiError(ApiError.CONFLICT, "exists");
                  }
                  return answer;
                }));
    runFor(Duration.ofSeconds(1));
    assertThat(effects).hasSize(2);
    assertThat(ends).containsExactly("10 answer 1");
  }

  // --- the caller dies ----------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({"true, 1", "false, 0"})
  void shouldArriveOrNotWhenItWasUnderWayAsTheCallerDied(boolean heads, int times) {
    Fiber fiber = start(() -> caller.call(this::effect));
    runFor(Duration.ofMillis(3));
    chance.heads = heads;
    caller.died();
    fiber.kill();
    assertThat(effects).isEmpty();
    runFor(Duration.ofMinutes(1));
    assertThat(effects).hasSize(times);
    assertThat(ends).isEmpty();
  }

  @Test
  void shouldNotArriveTwiceWhereTheCallerDiesOnTheWayBack() {
    Fiber fiber = start(() -> caller.call(this::effect));
    runFor(Duration.ofMillis(7));
    chance.heads = true;
    caller.died();
    fiber.kill();
    runFor(Duration.ofMinutes(1));
    assertThat(effects).hasSize(1);
    assertThat(ends).isEmpty();
  }

  @Test
  void shouldKeepToItselfThatARequestOfADeadCallerIsRefused() {
    Fiber fiber =
        start(
            () ->
                caller.call(
                    () -> {
                      effects.add(loop.micros());
                      throw new ApiError(ApiError.CONFLICT, "changed");
                    }));
    runFor(Duration.ofMillis(3));
    chance.heads = true;
    caller.died();
    fiber.kill();
    runFor(Duration.ofMinutes(1));
    assertThat(effects).hasSize(1);
  }

  // --- changes ------------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({"0, 1, done", "1, 2, done", "4, 5, done", "5, 5, error 409", "9, 5, error 409"})
  void shouldReadAgainWhereAChangeConflictsButNotForEver(int conflicts, int tries, String end) {
    start(
        () -> {
          caller.change(
              () -> {
                effects.add(loop.micros());
                if (effects.size() <= conflicts) {
                  throw new ApiError(ApiError.CONFLICT, "changed");
                }
              });
          return "done";
        });
    runFor(Duration.ofMinutes(1));
    assertThat(effects).hasSize(tries);
    assertThat(ends).hasSize(1).first().asString().endsWith(end);
  }

  @Test
  void shouldNotRepeatAChangeThatFailsOtherwise() {
    start(
        () -> {
          caller.change(
              () -> {
                effects.add(loop.micros());
                throw new ApiError(ApiError.NOT_FOUND, "gone");
              });
          return "done";
        });
    runFor(Duration.ofMinutes(1));
    assertThat(effects).hasSize(1);
  }
}
