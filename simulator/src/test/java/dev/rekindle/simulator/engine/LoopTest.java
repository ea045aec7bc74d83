package dev.rekindle.simulator.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoopTest {
  private final Loop loop = new Loop();
  private final List<String> order = new ArrayList<>();

  @Test
  void shouldRunEventsInTheOrderOfTheirTimes() {
    loop.after(Duration.ofSeconds(3), () -> order.add("c"));
    loop.after(Duration.ofSeconds(1), () -> order.add("a"));
    loop.at(Loop.T0.plusSeconds(2), () -> order.add("b"));

    runAll();

    assertThat(order).containsExactly("a", "b", "c");
  }

  @Test
  void shouldRunEventsOfOneTimeInTheOrderInWhichTheyWereRequested() {
    for (int i = 0; i < 20; i++) {
      String name = "e" + i;
      loop.at(Loop.T0.plusSeconds(1), () -> order.add(name));
    }
    loop.at(
        Loop.T0.plusSeconds(1), () -> loop.after(Duration.ZERO, () -> order.add("asked for last")));

    runAll();

    assertThat(order).hasSize(21).startsWith("e0", "e1", "e2").endsWith("e19", "asked for last");
    assertThat(order).containsSubsequence("e8", "e9", "e10", "e11");
  }

  @Test
  void shouldShowEachEventItsOwnTime() {
    List<Instant> seen = new ArrayList<>();
    loop.after(Duration.ofMillis(1500), () -> seen.add(loop.instant()));
    loop.after(Duration.ofNanos(2_000_001_999), () -> seen.add(loop.instant()));

    runAll();

    assertThat(seen)
        .containsExactly(
            Instant.parse("2026-01-01T00:00:01.500Z"),
            Instant.parse("2026-01-01T00:00:02.000001Z"));
    assertThat(Loop.micros(seen.getLast())).isEqualTo(2_000_001);
    assertThat(loop.micros()).isEqualTo(2_000_001);
  }

  @Test
  void shouldRunNowWhatIsRequestedInThePast() {
    loop.moveTo(5_000_000);
    loop.at(Loop.T0.plusSeconds(1), () -> order.add("at"));
    loop.after(Duration.ofSeconds(-1), () -> order.add("after"));

    runAll();

    assertThat(order).containsExactly("at", "after");
    assertThat(loop.instant()).isEqualTo(Loop.T0.plusSeconds(5));
  }

  @Test
  void shouldStopAtTheGivenTimeAndRunWhatLiesExactlyOnIt() {
    loop.after(Duration.ofSeconds(1), () -> order.add("on it"));
    loop.after(Duration.ofNanos(1_000_001_000), () -> order.add("after it"));

    assertThat(loop.step(1_000_000)).isTrue();
    assertThat(loop.step(1_000_000)).isFalse();

    assertThat(order).containsExactly("on it");
    assertThat(loop.eventsRun()).isEqualTo(1);
  }

  @Test
  void shouldNeverMoveBack() {
    loop.moveTo(2_000_000);
    loop.moveTo(1_000_000);

    assertThat(loop.instant()).isEqualTo(Loop.T0.plusSeconds(2));
  }

  @SuppressWarnings("StatementWithEmptyBody")
  private void runAll() {
    while (loop.step(Long.MAX_VALUE)) {}
  }
}
