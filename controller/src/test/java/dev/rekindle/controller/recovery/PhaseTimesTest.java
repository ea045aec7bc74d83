package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PhaseTimesTest {
  private long nanos;
  private Instant wall = T0;
  private final PhaseTimes times = new PhaseTimes(SteadyClock.of(() -> nanos));

  private void pass(long seconds) {
    nanos += TimeUnit.SECONDS.toNanos(seconds);
    wall = wall.plusSeconds(seconds);
  }

  private static RecoveryView draining(Instant since) {
    Cause cause = new Cause("PodFailed", "", List.of(), List.of(), List.of(), List.of(), null);
    RecoveryStatus begun = RecoveryStatusBuilder.begin(cause, List.of(), since);
    return Given.recovery(
        "demo-r1", since, RecoveryStatusBuilder.enter(begun, RecoveryPhase.DRAINING, "", since));
  }

  private Duration inPhase(RecoveryView recovery) {
    RecoveryView settled = times.settled(recovery, wall);
    Instant since = Objects.requireNonNull(settled.status()).phaseSince();
    return Duration.between(Objects.requireNonNull(since), wall);
  }

  @ParameterizedTest
  @ValueSource(longs = {-3_600, 3_600, -86_400 * 365L})
  void shouldCountOnWhenTheClockIsSet(long step) {
    RecoveryView recovery = draining(T0);
    pass(10);
    assertThat(inPhase(recovery)).isEqualTo(Duration.ofSeconds(10));
    wall = wall.plusSeconds(step);
    pass(20);
    assertThat(inPhase(recovery)).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void shouldTakeATimeInTheFutureForNow() {
    RecoveryView recovery = draining(T0.plusSeconds(3_600));
    assertThat(inPhase(recovery)).isZero();
    pass(60);
    assertThat(inPhase(recovery)).isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void shouldLeaveWhatIsWrittenWhereClocksAreALittleApart() {
    RecoveryView recovery = draining(T0.plusSeconds(2));
    assertThat(times.settled(recovery, wall)).isSameAs(recovery);
    pass(60);
    assertThat(times.settled(recovery, wall)).isSameAs(recovery);
  }

  @Test
  void shouldCountAgainInAnotherPhase() {
    wall = T0.plusSeconds(3_600);
    assertThat(inPhase(draining(T0))).isEqualTo(Duration.ofHours(1));
    assertThat(inPhase(draining(wall))).isZero();
    pass(7);
    assertThat(inPhase(draining(wall.minusSeconds(7)))).isEqualTo(Duration.ofSeconds(7));
  }
}
