package dev.rekindle.detect.flightrecorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallHistoryTest {
  private static final ProcessGroup ALL = new ProcessGroup("0", "default_pg", List.of());
  private static final ProcessGroup PAIR = new ProcessGroup("1", "", List.of());

  /** Calls by one letter each; those in capitals in a second group. */
  private static CallPattern of(String calls) {
    var history = new CallHistory();
    Map<ProcessGroup, Long> numbers = new HashMap<>();
    for (int i = 0; i < calls.length(); i++) {
      char call = calls.charAt(i);
      var group = Character.isUpperCase(call) ? PAIR : ALL;
      long number = numbers.merge(group, 1L, Long::sum);
      history.add(group, new Collective(number, String.valueOf(call), "", false, false, 0));
    }
    return history.pattern();
  }

  @ParameterizedTest
  @CsvSource({
    "abcabcabc, 3",
    "abcabcabcab, 3",
    "aaaaaaaaaa, 1",
    "aaaabaaaabaaaab, 5",
    "xyabcabcabcabcabc, 3",
    "aBcaBcaBca, 3",
  })
  void shouldSeeThatARankKeepsToItsCalls(String calls, int period) {
    assertThat(of(calls)).isEqualTo(new CallPattern(period, null, 0));
  }

  @ParameterizedTest
  @CsvSource({
    "abcabcabcac, c, b, 4, 1",
    "abcabcabcaxc, x, b, 11, 2",
    "aBcaBcaBcac, c, B of group 1, 8, 1",
    "aaaabaaaabaaaabaaab, b, a, 19, 1",
  })
  void shouldSeeTheCallThatIsNotTheOneOfEarlierRounds(
      String calls, String called, String usual, long number, int since) {
    var pattern = of(calls);
    var left = Objects.requireNonNull(pattern.departure());
    assertThat(left.called()).isEqualTo(called);
    assertThat(left.usual()).isEqualTo(usual);
    assertThat(left.sequence()).isEqualTo(calls.startsWith("abcabcabcac") ? 11 : number);
    assertThat(pattern.since()).isEqualTo(since);
    assertThat(pattern.leftLately()).isTrue();
  }

  /** Two rounds are no habit, and what begins with something else needs eight. */
  @ParameterizedTest
  @CsvSource({"abcabx", "xabcabcabcaby", "abcdefgh", "a", "abacabcaabcbacba"})
  void shouldSeeNoDepartureWhereNothingIsUsual(String calls) {
    assertThat(of(calls).left()).isFalse();
  }

  @Test
  void shouldSeeOneAfterAStartOfItsOwnOnceThereWereEightRounds() {
    var pattern = of("xy" + "abc".repeat(9) + "ac");
    assertThat(pattern.leftLately()).isTrue();
  }

  @Test
  void shouldRememberOneThatIsLongAgo() {
    var pattern = of("abc".repeat(4) + "ab" + "abc".repeat(6));
    assertThat(pattern.left()).isTrue();
    assertThat(pattern.leftLately()).isFalse();
  }

  /** Threads that take turns as they like make no order. */
  @Test
  void shouldNotTakeTurnsOfThreadsForADeparture() {
    var calls = new StringBuilder();
    var random = new Random(7);
    for (int step = 0; step < 200; step++) {
      calls.append(random.nextInt(3) == 0 ? "aBc" : "Bac");
    }
    assertThat(of(calls.toString()).left()).isFalse();
  }

  /** In a time that grew with the square of their number it would not end within hours. */
  @Test
  @Timeout(120)
  void shouldEndWhateverTheCallsAre() {
    var calls = new StringBuilder();
    var random = new Random(7);
    for (int i = 0; i < 200_000; i++) {
      calls.append((char) ('a' + random.nextInt(3)));
    }
    assertThat(of(calls.toString()).left()).isFalse();
  }
}
