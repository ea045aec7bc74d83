package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryEvent;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.StallFinding;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.recovery.Takeover.Missing;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a process may have to make known of what others have stored. */
class TakeoverTest {
  private static final JobKey KEY = Given.job().view().key();
  private static final StallFinding STALL =
      new StallFinding("DeviceOrLink", "high", List.of(), List.of(), 2, null, null);

  private final Takeover takeover = new Takeover();

  private static RecoveryEvent event(int at) {
    return new RecoveryEvent(T0.plusSeconds(at), "RecoveryHeld", "text " + at, "");
  }

  private static RecoveryView recovery(RecoveryStatus status) {
    return Given.recovery("demo-r1", T0, status);
  }

  private static RecoveryStatus status(
      RecoveryPhase phase, @Nullable StallFinding stall, RecoveryEvent... events) {
    Cause cause =
        new Cause("Stalled", "", List.of(), List.of(), List.of(), List.of(), null, null, stall);
    return new RecoveryStatus(
            phase,
            T0,
            1,
            null,
            cause,
            null,
            null,
            List.of(new TimelineEntry(phase, T0, "")),
            List.of())
        .withRecentEvents(List.of(events));
  }

  private List<Missing> take(RecoveryView recovery, Instant now) {
    return takeover.take(KEY, List.of(recovery), now);
  }

  @Test
  void shouldGiveOnceWhatAnotherProcessHasStored() {
    RecoveryView found = recovery(status(RecoveryPhase.VERIFYING, null, event(0), event(1)));

    assertThat(take(found, T0.plusSeconds(20)))
        .containsExactly(new Missing(found, List.of(event(0), event(1)), false, false));
    assertThat(take(found, T0.plusSeconds(21))).isEmpty();
  }

  /** The last write of a former leader may arrive after this one has looked. */
  @Test
  void shouldGiveWhatAnotherProcessStoresLater() {
    var _ = take(recovery(status(RecoveryPhase.VERIFYING, null, event(0))), T0);
    RecoveryView later = recovery(status(RecoveryPhase.RECOVERED, STALL, event(0), event(5)));

    assertThat(take(later, T0.plusSeconds(9)))
        .containsExactly(new Missing(later, List.of(event(5)), true, true));
    assertThat(take(later, T0.plusSeconds(9))).isEmpty();
  }

  @Test
  void shouldGiveNothingOfWhatThisProcessHasStored() {
    RecoveryView mine = recovery(status(RecoveryPhase.RECOVERED, STALL, event(0), event(1)));
    RecoveryView before = recovery(status(RecoveryPhase.VERIFYING, STALL, event(0)));
    takeover.stored(KEY, before);
    takeover.stored(KEY, mine);

    // The view may be behind for a while.
    assertThat(take(before, T0)).isEmpty();
    assertThat(take(mine, T0)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0, true", "900, true", "901, false", "-900, true", "-901, false"})
  void shouldGiveNothingThatIsOldByEitherClock(long seconds, boolean given) {
    RecoveryView found = recovery(status(RecoveryPhase.RECOVERED, STALL, event(0)));

    assertThat(take(found, T0.plusSeconds(seconds)))
        .isEqualTo(given ? List.of(new Missing(found, List.of(event(0)), true, true)) : List.of());
    // What was too old once does not become young again as a clock steps.
    assertThat(take(found, T0)).isEmpty();
  }

  @Test
  void shouldTakeAStatusOfAnEarlierVersion() {
    RecoveryView old = recovery(status(RecoveryPhase.VERIFYING, null));

    assertThat(take(old, T0)).isEmpty();
    RecoveryView created = new RecoveryView("team", "demo-r2", "uid-2", "1", old.spec(), null);
    assertThat(take(created, T0)).isEmpty();
  }

  @Test
  void shouldForgetWhatIsGoneAndKeepLittleOfTheRest() {
    RecoveryView found = recovery(status(RecoveryPhase.VERIFYING, null, event(0)));
    var _ = take(found, T0);
    assertThat(takeover.take(KEY, List.of(), T0)).isEmpty();
    assertThat(take(found, T0)).hasSize(1);

    IntStream.range(0, 1_000)
        .forEach(i -> takeover.stored(KEY, recovery(status(RecoveryPhase.HELD, null, event(i)))));

    assertThat(takeover.known()).isLessThanOrEqualTo(5 * RecoveryEvent.MOST);
  }
}
