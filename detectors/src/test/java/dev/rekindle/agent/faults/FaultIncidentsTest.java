package dev.rekindle.agent.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus.Incident;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultWriter;
import org.junit.jupiter.api.Test;

/** How observations are counted and joined to incidents. */
class FaultIncidentsTest extends FaultWriterFixture {
  @Test
  void shouldReportOneIncidentPerBurstAndTheNewestTwelveOnly() {
    for (long burst = 0; burst < 14; burst++) {
      now = now.plus(FaultWriter.REPEAT);
      // The silence within a burst is just bearable, and just too long between two.
      writer.write(observation(2 * burst, burst * 361, FenceGuidance.NEVER, ""));
      writer.write(observation(2 * burst + 1, burst * 361 + 180, FenceGuidance.NEVER, "GPC 1"));
    }
    now = now.plus(FaultWriter.REPEAT);
    writer.flush();
    assertThat(status(EXCEPTION).count()).isEqualTo(28);
    assertThat(status(EXCEPTION).incidents()).hasSize(12);
    assertThat(status(EXCEPTION).incidents().getLast())
        .isEqualTo(
            new Incident(
                BOOT.time().plusSeconds(13 * 361),
                BOOT.time().plusSeconds(13 * 361 + 180),
                2,
                "GPC 1",
                "team",
                "pod-27",
                "uid",
                "boot-1"));
  }

  @Test
  void shouldReportAllIncidentsWhenAnOldLogIsReadInOneSecond() {
    for (long burst = 0; burst < 3; burst++) {
      writer.write(observation(burst, burst * 1000, FenceGuidance.NEVER, ""));
    }
    now = now.plus(FaultWriter.REPEAT);
    writer.flush();
    assertThat(status(EXCEPTION).incidents())
        .containsExactly(
            incident("boot-1", 0, 0, 1),
            incident("boot-1", 1000, 1000, 1),
            incident("boot-1", 2000, 2000, 1));
  }

  @Test
  void shouldCountNothingTwiceWhenTheLogIsReplayedBeyondWhatWasWritten() {
    for (int i = 1; i <= 3; i++) {
      writer.write(observation(i, i, FenceGuidance.NEVER, ""));
    }
    now = now.plus(FaultWriter.REPEAT);
    writer.flush();
    writer = newWriter();
    for (int i = 1; i <= 5; i++) {
      writer.write(observation(i, i, FenceGuidance.NEVER, ""));
    }
    now = now.plus(FaultWriter.REPEAT);
    writer.flush();
    assertThat(status(EXCEPTION).count()).isEqualTo(5);
    assertThat(status(EXCEPTION).incidents()).containsExactly(incident("boot-1", 1, 5, 5));
  }

  @Test
  void shouldCountEveryObservationWhenTheDetectorReadsNoLog() {
    writer.write(observation(7, 1, FenceGuidance.NEVER, ""));
    for (int i = 2; i <= 4; i++) {
      now = now.plus(FaultWriter.REPEAT);
      writer.write(observation(FaultObservation.NO_SEQUENCE, i, FenceGuidance.NEVER, ""));
    }
    assertThat(status(EXCEPTION).count()).isEqualTo(4);
    assertThat(status(EXCEPTION).lastSequence()).isEqualTo(7);
  }
}
