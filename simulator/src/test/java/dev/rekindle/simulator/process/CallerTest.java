package dev.rekindle.simulator.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.process.NetworkFaults.Fate;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What comes of one call. */
@Timeout(120)
class CallerTest extends CallerFixture {
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

  private boolean succeeds() {
    return effect().startsWith("answer");
  }
}
