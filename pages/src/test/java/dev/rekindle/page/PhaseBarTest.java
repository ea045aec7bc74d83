package dev.rekindle.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.page.PhaseBar.Segment;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class PhaseBarTest {
  private static List<PhaseBar> bars(dev.rekindle.api.Recovery recovery, double now) {
    return PhaseBar.of(recovery.getStatus().timeline(), Samples.at(now));
  }

  @Test
  void shouldDrawPhasesToScaleFromDetectionToTheEnd() {
    List<Segment> segments = bars(Samples.recovered(), 100).getFirst().segments();
    assertThat(segments)
        .extracting(Segment::text)
        .containsExactly(
            "Detected 1.0 s",
            "Draining 2.0 s",
            "Planning 1.0 s",
            "Resuming 2.0 s",
            "Verifying 6.0 s");
    assertThat(segments.getLast().x()).isEqualTo(500);
    assertThat(segments.stream().mapToDouble(Segment::width).sum())
        .isCloseTo(PhaseBar.WIDTH, Offset.offset(0.01));
  }

  @Test
  void shouldLetTheLastPhaseOfAnOpenRecoveryLastUntilNow() {
    Segment last = bars(Samples.awaitingApproval(), 61).getFirst().segments().getLast();
    assertThat(last.text()).isEqualTo("Held 1 min so far");
  }

  @Test
  void shouldStackThePassesOfARecoveryThatTriesAgain() {
    List<PhaseBar> bars =
        bars(
            Samples.withTimeline(
                RecoveryPhase.RECOVERED,
                Samples.entry(RecoveryPhase.DETECTED, 0, ""),
                Samples.entry(RecoveryPhase.DRAINING, 1, ""),
                Samples.entry(RecoveryPhase.PLANNING, 2, ""),
                Samples.entry(RecoveryPhase.HELD, 3, ""),
                Samples.entry(RecoveryPhase.PLANNING, 4, ""),
                Samples.entry(RecoveryPhase.VERIFYING, 5, ""),
                Samples.entry(RecoveryPhase.DRAINING, 6, ""),
                Samples.entry(RecoveryPhase.VERIFYING, 7, ""),
                Samples.entry(RecoveryPhase.RECOVERED, 8, "")),
            100);
    assertThat(bars).hasSize(2);
    assertThat(bars.get(1).segments())
        .extracting(Segment::phase)
        .containsExactly(RecoveryPhase.DRAINING, RecoveryPhase.VERIFYING);
  }

  @Test
  void shouldDrawNothingOfNegativeWidthWhereAClockWasSetBack() {
    List<PhaseBar> bars =
        bars(
            Samples.withTimeline(
                RecoveryPhase.DRAINING,
                Samples.entry(RecoveryPhase.DETECTED, 3600, ""),
                Samples.entry(RecoveryPhase.FENCING, 0, ""),
                Samples.entry(RecoveryPhase.DRAINING, 1, "")),
            2);
    assertThat(bars.getFirst().segments())
        .allSatisfy(s -> assertThat(s.width()).isBetween(0.0, PhaseBar.WIDTH))
        .allSatisfy(s -> assertThat(s.x()).isBetween(0.0, PhaseBar.WIDTH));
  }
}
