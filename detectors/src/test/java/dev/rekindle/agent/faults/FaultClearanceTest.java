package dev.rekindle.agent.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus.State;
import dev.rekindle.detect.fault.FaultWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Faults that are cleared, and what stands again afterwards. */
class FaultClearanceTest extends FaultWriterFixture {
  @Test
  void shouldClearEveryFaultOfTheGpuWhenTheDriverGivesTheAllClear() {
    log(BOOT, 1, BUS);
    log(BOOT, 2, "NVRM: Xid (PCI:0000:3b:00): 95, x");
    log(BOOT, 3, BUS.replace("3B", "3c"));
    log(BOOT, 4, CLEAR);
    assertThat(status("node-1.0000-3b-00.xid-79").state()).isEqualTo(State.CLEARED);
    assertThat(status("node-1.0000-3b-00.xid-79").clearedBy()).isEqualTo("driver");
    assertThat(status("node-1.0000-3b-00.xid-95").state()).isEqualTo(State.CLEARED);
    assertThat(status("node-1.0000-3c-00.xid-79").state()).isEqualTo(State.ACTIVE);
    log(BOOT, 5, BUS);
    assertThat(status("node-1.0000-3b-00.xid-79").state()).isEqualTo(State.ACTIVE);
  }

  @Test
  void shouldClearWhatWasSeenBeforeAndNothingElse() {
    log(BOOT, 1, BUS);
    writer.write(observation(2, 2, FenceGuidance.NEVER, ""));
    writer.write(observation(3, 3, FenceGuidance.NEVER, ""));
    log(BOOT, 4, BUS.replace("3B", "3c"));
    log(BOOT, 50, "NVRM: Xid (PCI:0000:3b:00): 95, later");
    clear(10);
    assertThat(status("node-1.0000-3b-00.xid-79").state()).isEqualTo(State.CLEARED);
    assertThat(status("node-1.0000-3b-00.xid-79").clearedBy()).isEqualTo("driver");
    assertThat(status("node-1.0000-3b-00.xid-79").clearedAt())
        .isEqualTo(BOOT.time().plusSeconds(10));
    assertThat(status(EXCEPTION).state()).isEqualTo(State.CLEARED);
    assertThat(status(EXCEPTION).count()).as("what waited is counted").isEqualTo(2);
    assertThat(status("node-1.0000-3c-00.xid-79").state()).isEqualTo(State.ACTIVE);
    assertThat(status("node-1.0000-3b-00.xid-95").state()).as("later").isEqualTo(State.ACTIVE);
    now = now.plus(FaultWriter.REPEAT);
    writer.flush();
    assertThat(status(EXCEPTION).state()).isEqualTo(State.CLEARED);
  }

  @Test
  void shouldClearOnlyTheCodesNamedAndTwiceAsWellAsOnce() {
    log(BOOT, 1, BUS);
    log(BOOT, 2, "NVRM: Xid (PCI:0000:3b:00): 95, x");
    clear(10, "XID-79");
    clear(20, "XID-79");
    assertThat(status("node-1.0000-3b-00.xid-79").clearedAt())
        .isEqualTo(BOOT.time().plusSeconds(10));
    assertThat(status("node-1.0000-3b-00.xid-95").state()).isEqualTo(State.ACTIVE);
  }

  @Test
  void shouldStandAgainAndNotFenceWhenAClearedFaultComesBackLighter() {
    writer.write(observation(1, 1, FenceGuidance.ALWAYS, ""));
    clear(10);
    writer.write(observation(2, 20, FenceGuidance.NEVER, ""));
    assertThat(status(EXCEPTION).state()).isEqualTo(State.ACTIVE);
    assertThat(status(EXCEPTION).clearedBy()).isEmpty();
    assertThat(stored(EXCEPTION).getSpec().fence()).isEqualTo(FenceGuidance.NEVER);
  }

  /** As where a node starts with a clock that is ahead. */
  @Test
  void shouldStandAgainWhenTheClockWasSetBackSinceItWasCleared() {
    ahead = Duration.ofHours(9);
    logAhead(1, BUS);
    logAhead(2, CLEAR);
    assertThat(status("node-1.0000-3b-00.xid-79").state()).isEqualTo(State.CLEARED);
    ahead = Duration.ZERO;
    logAhead(3, BUS);
    assertThat(status("node-1.0000-3b-00.xid-79").state()).isEqualTo(State.ACTIVE);
  }

  @Test
  void shouldClearWhatWasSeenBeforeTheClockWasSetBack() {
    ahead = Duration.ofHours(9);
    logAhead(1, BUS);
    ahead = Duration.ZERO;
    logAhead(2, CLEAR);
    assertThat(status("node-1.0000-3b-00.xid-79").state()).isEqualTo(State.CLEARED);
  }

  /** By their times the fault was seen before the clearance. */
  @Test
  void shouldNotClearWhatWasLoggedLaterWhenARecordIsReadAgainAndTheClockWasSet() {
    ahead = Duration.ofHours(-9);
    logAhead(5, BUS);
    ahead = Duration.ZERO;
    logAhead(4, CLEAR);
    assertThat(status("node-1.0000-3b-00.xid-79").state()).isEqualTo(State.ACTIVE);
  }

  @Test
  void shouldStayClearedWhenWhatIsWrittenWasSeenBefore() {
    writer.write(observation(1, 1, FenceGuidance.ALWAYS, ""));
    clear(10);
    writer.write(observation(2, 9, FenceGuidance.ALWAYS, ""));
    assertThat(status(EXCEPTION).state()).isEqualTo(State.CLEARED);
    assertThat(status(EXCEPTION).count()).isEqualTo(2);
  }
}
