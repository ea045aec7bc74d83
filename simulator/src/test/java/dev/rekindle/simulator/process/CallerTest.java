package dev.rekindle.simulator.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.simulator.api.ApiError;
import dev.rekindle.simulator.engine.Fiber;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.process.NetworkFaults.Fate;
import dev.rekindle.simulator.setup.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A call takes 5 ms to its effect; it is given up after 10 s and repeated 200 ms later. */
@Timeout(20)
class CallerTest {
  private final Loop loop = new Loop();
  private final Chance chance = new Chance();
  private final Deque<NetworkFaults> weathers = new ArrayDeque<>();
  private final List<Long> effects = new ArrayList<>();
  private final List<String> ends = new ArrayList<>();
  private Instant apiBack = Loop.T0;
  private boolean deposed;

  private final Caller caller =
      new Caller(
          loop,
          Timing.DEFAULT,
          chance,
          new Caller.Climate() {
            @Override
            public NetworkFaults weather() {
              return Objects.requireNonNullElse(weathers.poll(), NetworkFaults.CALM);
            }

            @Override
            public boolean apiUp(Instant now) {
              return !now.isBefore(apiBack);
            }
          },
          () -> deposed);

  @Test
  void shouldSendNothingOnceAnotherMayLead() {
    deposed = true;

    start(() -> caller.call(this::effect));
    runFor(Duration.ofMinutes(2));

    assertThat(effects).isEmpty();
    assertThat(ends).containsExactly("200 error 0");
  }

  /** The fates of the call and of its repetition, the effects that it has, and what it learns. */
  @ParameterizedTest
  @CsvSource({
    "ANSWERED, ANSWERED, 1, answer 1",
    "SLOW, ANSWERED, 1, answer 1",
    "DOUBLED, ANSWERED, 2, answer 1",
    "LOST, ANSWERED, 1, answer 1",
    "LOST, LOST, 0, error 0",
    "LOST, UNHEARD, 1, error 0",
    "LOST, DOUBLED, 2, answer 1",
    "UNHEARD, ANSWERED, 2, answer 2",
    "UNHEARD, LOST, 1, error 0",
    "UNHEARD, UNHEARD, 2, error 0",
    "LATE, ANSWERED, 2, answer 1",
    "LATE, LOST, 1, error 0",
  })
  void shouldTakeEffectAsOftenAsItsFateSays(Fate first, Fate second, int times, String end) {
    weathers.add(all(first));
    weathers.add(all(second));
    chance.number = 15_000;

    start(() -> caller.call(this::effect));
    runFor(Duration.ofMinutes(2));

    assertThat(effects).hasSize(times);
    assertThat(ends).hasSize(1);
    assertThat(ends.getFirst()).endsWith(end);
  }

  @Test
  void shouldTakeEffectAfterItsWayThereAndAnswerAfterItsWayBack() {
    start(() -> caller.call(this::effect));
    runFor(Duration.ofSeconds(1));

    assertThat(effects).containsExactly(5_000L);
    assertThat(ends).containsExactly("10 answer 1");
  }

  @Test
  void shouldTakeSecondsWhereItIsSlow() {
    weathers.add(all(Fate.SLOW));
    chance.number = 2_000;

    start(() -> caller.call(this::effect));
    runFor(Duration.ofSeconds(5));

    assertThat(effects).containsExactly(2_500_000L);
  }

  @Test
  void shouldTakeEffectLateAfterTheCallerGaveUp() {
    weathers.add(all(Fate.LATE));
    weathers.add(all(Fate.LOST));
    chance.number = 19_000;

    start(() -> caller.call(this::effect));
    runFor(Duration.ofSeconds(15));
    assertThat(ends).containsExactly("10205 error 0");
    assertThat(effects).isEmpty();
    runFor(Duration.ofSeconds(5));

    assertThat(effects).containsExactly(19_000_000L);
    assertThat(ends).hasSize(1);
  }

  @Test
  void shouldWaitForItsTimeoutWhereNothingRefusesTheConnection() {
    weathers.add(all(Fate.LOST));
    chance.number = 0;

    start(() -> caller.call(this::effect));
    runFor(Duration.ofSeconds(20));

    assertThat(ends).containsExactly("10210 answer 1");
  }

  @ParameterizedTest
  @EnumSource
  void shouldHaveNoEffectWhileTheApiServerIsDown(Fate fate) {
    apiBack = Loop.T0.plusSeconds(60);
    weathers.add(all(fate));
    weathers.add(all(fate));

    start(() -> caller.call(this::effect));
    runFor(Duration.ofMinutes(2));

    assertThat(effects).isEmpty();
    assertThat(ends).hasSize(1).first().asString().endsWith("error 0");
  }

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

  // --- at once ------------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({
    "ANSWERED, true, 1",
    "SLOW, true, 1",
    "DOUBLED, true, 1",
    "UNHEARD, false, 1",
    "LOST, false, 0",
    "LATE, false, 0",
  })
  void shouldKnowWhatItKnowsOfACallThatTakesNoTime(Fate fate, boolean known, int times) {
    weathers.add(all(fate));

    assertThat(caller.atOnce(this::succeeds)).isEqualTo(known);

    assertThat(effects).hasSize(times);
  }

  @Test
  void shouldNotReachAnApiServerThatIsDownAtOnce() {
    apiBack = Loop.T0.plusSeconds(1);

    assertThat(caller.atOnce(this::succeeds)).isFalse();
    loop.moveTo(1_000_000);
    assertThat(caller.atOnce(this::succeeds)).isTrue();
    assertThat(caller.atOnce(() -> false)).isFalse();
  }

  @Test
  void shouldOnlyWaitInAFiber() {
    assertThatThrownBy(() -> caller.call(this::effect))
        .isInstanceOf(java.util.NoSuchElementException.class);
  }

  /** The weather in which every call fares so. */
  private static NetworkFaults all(Fate fate) {
    return new NetworkFaults(
        fate == Fate.LOST ? 1 : 0,
        fate == Fate.UNHEARD ? 1 : 0,
        fate == Fate.LATE ? 1 : 0,
        fate == Fate.DOUBLED ? 1 : 0,
        fate == Fate.SLOW ? 1 : 0,
        fate == Fate.REFUSED ? 1 : 0);
  }

  private String effect() {
    effects.add(loop.micros());
    return "answer " + effects.size();
  }

  private boolean succeeds() {
    return effect().startsWith("answer");
  }

  private Fiber start(Supplier<String> call) {
    return Fiber.start(
        loop,
        () -> 0,
        () -> {
          try {
            String answer = call.get();
            ends.add(loop.micros() / 1_000 + " " + answer);
          } catch (ApiError error) {
            ends.add(loop.micros() / 1_000 + " error " + error.code());
          }
        });
  }

  @SuppressWarnings("StatementWithEmptyBody")
  private void runFor(Duration time) {
    long until = loop.micros() + time.toNanos() / 1_000;
    while (loop.step(until)) {}
    loop.moveTo(until);
  }
}
