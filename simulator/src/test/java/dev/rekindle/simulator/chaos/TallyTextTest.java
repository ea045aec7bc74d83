package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TallyTextTest {

  @Test
  void shouldReadTheTallyThatItWrites() {
    for (Tally tally :
        List.of(
            Tally.NONE,
            new Tally(
                5,
                6,
                7,
                Map.of(FaultArea.POWER, 4, FaultArea.PEOPLE, 1),
                Map.of(Disturbance.AGENT_REFUSED, 8, Disturbance.AGENT_BLIND, 9),
                Map.of(StallResult.NAMED, 3),
                Map.of("event/RecoveryStarted", 4L, "milliseconds/Held", 10_000_000_000L)))) {
      assertThat(Tally.in(tally.line())).isTrue();
      assertThat(Tally.parse(tally.line())).isEqualTo(tally);
    }
    assertThat(Tally.in("seed 5: invariant 4 broken")).isFalse();
  }
}
