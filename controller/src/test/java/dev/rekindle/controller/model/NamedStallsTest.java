package dev.rekindle.controller.model;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamedStallsTest {
  private static NamedStalls.Entry stall(Instant at, String recovery, boolean elsewhere) {
    return new NamedStalls.Entry(at, recovery, true, elsewhere);
  }

  @Test
  void shouldReadWhatItWrites() {
    NamedStalls two =
        NamedStalls.NONE
            .and(new NamedStalls.Entry(T0, "team/a-r1", false, false))
            .and(stall(T0.plusSeconds(60), "team/b-r1", true));

    assertThat(two.format())
        .isEqualTo(
            "2026-11-21T06:00:00Z team/a-r1 host here;2026-11-21T06:01:00Z team/b-r1 device-or-link"
                + " elsewhere");
    assertThat(NamedStalls.parse(two.format())).isEqualTo(two);
    assertThat(two.entries().getFirst().namespace()).isEqualTo("team");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ";;;",
        "soon team/a-r1 host here",
        "2026-11-21T06:00:00Z team/a-r1 host",
        "2026-11-21T06:00:00Z  host here",
        "2026-11-21T06:00:00Z nameless host here",
        "2026-11-21T06:00:00Z /a-r1 host here",
        "2026-11-21T06:00:00Z team/a-r1 host here and more"
      })
  void shouldPassOverWhatMakesNoSense(String text) {
    assertThat(NamedStalls.parse(text)).isEqualTo(NamedStalls.NONE);
  }

  @Test
  void shouldCountARecoveryOnce() {
    NamedStalls once = NamedStalls.NONE.and(stall(T0, "team/a-r1", false));
    assertThat(once.and(stall(T0.plusSeconds(5), "team/a-r1", true))).isEqualTo(once);
  }

  @Test
  void shouldStaySmallAndForgetWhatIsLongAgo() {
    NamedStalls many = NamedStalls.NONE;
    for (int i = 0; i < 50; i++) {
      many = many.and(stall(T0.plusSeconds(i), "team/a-r" + i, false));
    }
    assertThat(many.entries()).hasSize(8);
    assertThat(many.entries().getLast().recovery()).isEqualTo("team/a-r49");
    assertThat(NamedStalls.parse(("x ".repeat(100) + ";").repeat(100)).entries()).isEmpty();
    Instant later = T0.plus(NamedStalls.WINDOW).plusSeconds(60);
    assertThat(many.and(stall(later, "team/b-r1", false)).entries()).hasSize(1);
  }

  /** Stalls in one place may be one program's; in another place only the node is the same. */
  @Test
  void shouldCallANodeALemonThatWasNamedInDifferentPlaces() {
    NamedStalls here =
        NamedStalls.NONE.and(stall(T0, "team/a-r1", false)).and(stall(T0, "team/a-r2", false));
    assertThat(here.lemon(T0)).isFalse();
    NamedStalls elsewhere = here.and(stall(T0, "team/b-r1", true));
    assertThat(elsewhere.lemon(T0)).isTrue();
    assertThat(elsewhere.lemon(T0.plus(NamedStalls.WINDOW))).isFalse();
    assertThat(elsewhere.lemon(T0.minus(Duration.ofDays(60)))).as("a clock stepped").isFalse();
    assertThat(new NamedStalls(List.of()).lemon(T0)).isFalse();
  }
}
