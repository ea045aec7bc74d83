package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.TimelineEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a hold says while its facts change. */
class HoldTextTest {
  private static final Instant LATER = T0.plus(Duration.ofMinutes(1));

  private static RecoverySnapshot seen(RecoveryStatus status) {
    return snapshot(job(), status, List.of(), List.of(), 1);
  }

  private static Decision hold(RecoveryStatus status, String text, Instant now) {
    return Transitions.hold(seen(status), HoldReason.NO_CAPACITY, text, now);
  }

  private static RecoveryStatus held(String text) {
    RecoveryStatus planning =
        RecoveryStatusBuilder.enter(
            status(RecoveryPhase.DRAINING, null, 1), RecoveryPhase.PLANNING, "drained", T0);
    return ((Decision.Move) hold(planning, text, T0)).next();
  }

  private static RecoveryStatus next(Decision decision) {
    return ((Decision.Move) decision).next();
  }

  @Test
  void shouldOnlyWaitWhileTheFactsStay() {
    assertThat(hold(held("0 GPUs"), "0 GPUs", LATER)).isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldSayWhatIsSoNowWithoutAnEventAndWithoutLeavingThePhase() {
    RecoveryStatus before = held("0 GPUs");
    Decision decision = hold(before, "8 GPUs", LATER);
    RecoveryStatus after = next(decision);
    assertThat(((Decision.Move) decision).notes()).isEmpty();
    assertThat(after.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(after.phaseSince()).isEqualTo(before.phaseSince());
    assertThat(after.heldFrom()).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(HoldReason.of(after)).contains(HoldReason.NO_CAPACITY);
    assertThat(after.conditions())
        .filteredOn(c -> c.getType().equals("Progressing"))
        .singleElement()
        .satisfies(
            c -> {
              assertThat(c.getMessage()).isEqualTo("NoCapacity: 8 GPUs");
              assertThat(c.getLastTransitionTime()).isEqualTo(T0.toString());
            });
    assertThat(after.timeline().getLast())
        .isEqualTo(
            new TimelineEntry(RecoveryPhase.HELD, LATER, "NoCapacity: 8 GPUs", "NoCapacity"));
  }

  @Test
  void shouldNotWriteMoreThanOnceAMinute() {
    RecoveryStatus before = held("0 GPUs");
    assertThat(hold(before, "8 GPUs", LATER.minusMillis(1))).isInstanceOf(Decision.Wait.class);
    RecoveryStatus renewed = next(hold(before, "8 GPUs", LATER));
    assertThat(hold(renewed, "9 GPUs", LATER.plusSeconds(59))).isInstanceOf(Decision.Wait.class);
    assertThat(hold(renewed, "9 GPUs", T0))
        .as("the clock was set back")
        .isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldFillOneEntryOfTheTimelineHoweverLongItLasts() {
    RecoveryStatus status = held("0 GPUs");
    int size = status.timeline().size();
    for (int minute = 1; minute <= 100; minute++) {
      status = next(hold(status, minute + " GPUs", T0.plus(Duration.ofMinutes(minute))));
    }
    assertThat(status.timeline()).hasSize(size + 1);
    assertThat(status.timeline().get(size - 1).detail()).isEqualTo("NoCapacity: 0 GPUs");
    assertThat(RecoveryStatusBuilder.secondsPerPhase(status, T0.plus(Duration.ofMinutes(101))))
        .containsEntry("Held", 6_060.0);
  }

  /** A notification is known by the entry with which its hold begins. */
  @Test
  void shouldKeepTheBeginningOfAHoldForAnotherReason() {
    RecoveryStatus other =
        next(Transitions.hold(seen(held("0 GPUs")), HoldReason.DRAIN_BLOCKED, "pod a", LATER));

    RecoveryStatus renewed =
        next(
            Transitions.hold(
                seen(other), HoldReason.DRAIN_BLOCKED, "pod b", LATER.plus(Duration.ofMinutes(1))));

    assertThat(renewed.timeline())
        .startsWith(other.timeline().toArray(TimelineEntry[]::new))
        .hasSize(other.timeline().size() + 1);
  }
}
