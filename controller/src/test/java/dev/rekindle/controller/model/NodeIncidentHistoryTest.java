package dev.rekindle.controller.model;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeIncidentHistoryTest {
  private static final NodeIncidentHistory NONE = new NodeIncidentHistory(List.of());

  @Test
  void shouldReadWhatItWrites() {
    NodeIncidentHistory two =
        NONE.and(T0, "team/demo-r1").and(T0.plus(Duration.ofDays(1)), "fault/n-xid-79");

    assertThat(two.format())
        .isEqualTo("2026-11-21T06:00:00Z team/demo-r1;2026-11-22T06:00:00Z fault/n-xid-79");
    assertThat(NodeIncidentHistory.parse(two.format())).isEqualTo(two);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ";", "yes", "2026 x", "yesterday r1", ";;; ;", "2026-11-21T06:00:00Z"})
  void shouldPassOverWhatMakesNoSense(String text) {
    assertThat(NodeIncidentHistory.parse(text)).isEqualTo(NONE);
  }

  @ParameterizedTest
  @CsvSource({"1, false", "2, false", "3, true", "5, true"})
  void shouldCallANodeALemonByTheThird(int times, boolean lemon) {
    assertThat(times(times, Duration.ofDays(1)).lemon(T0.plus(Duration.ofDays(6))))
        .isEqualTo(lemon);
  }

  @Test
  void shouldForgetWhatIsOlderThanFourWeeks() {
    NodeIncidentHistory three = times(3, Duration.ofDays(1));

    assertThat(three.lemon(T0.plus(Duration.ofDays(28)).minusSeconds(1))).isTrue();
    assertThat(three.lemon(T0.plus(Duration.ofDays(28)))).isFalse();
    assertThat(three.and(T0.plus(Duration.ofDays(40)), "r").entries()).hasSize(1);
  }

  /** A clock that was ahead, or a person, has written it: no other look at the node may fail. */
  @ParameterizedTest
  @ValueSource(strings = {"2027-11-21T06:00:00Z", "+1000000000-12-31T23:59:59.999999999Z"})
  void shouldForgetWhatIsFarAhead(String time) {
    NodeIncidentHistory three = NodeIncidentHistory.parse("%1$s a;%1$s b;%1$s c".formatted(time));

    assertThat(three.lemon(T0)).isFalse();
    assertThat(NodeIncidentHistory.lemon(three.format(), T0)).isFalse();
    assertThat(three.and(T0, "r").entries()).hasSize(1);
  }

  @Test
  void shouldCountAFenceAndTheBlameThatFollowsItOnce() {
    NodeIncidentHistory one =
        NONE.and(T0, "fault/n-xid-79").and(T0.plusSeconds(1_800), "team/demo-r1");

    assertThat(one.entries()).hasSize(1);
    assertThat(one.and(T0.plusSeconds(1_801), "team/demo-r2").entries()).hasSize(2);
  }

  @Test
  void shouldStaySmallWhateverHappens() {
    NodeIncidentHistory many = NONE;
    for (int i = 0; i < 100; i++) {
      many = many.and(T0.plus(Duration.ofHours(i)), "x;y".repeat(200));
    }

    assertThat(many.entries()).hasSize(8);
    assertThat(many.format().length()).isLessThan(8 * 140);
    assertThat(NodeIncidentHistory.parse(many.format())).isEqualTo(many);
  }

  private static NodeIncidentHistory times(int times, Duration apart) {
    NodeIncidentHistory incidents = NONE;
    for (int i = 0; i < times; i++) {
      incidents = incidents.and(T0.plus(apart.multipliedBy(i)), "r" + i);
    }
    return incidents;
  }
}
