package dev.rekindle.detect.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RankDevice;
import dev.rekindle.detect.fault.FaultObservation;
import java.io.IOException;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What the detector reports, over a compiled stand-in for the library, in real time. */
class NvmlDetectorTest extends NvmlDetectorFixture {
  @Test
  void shouldNameThePodThatHoldsWhatAnEventIsAbout() throws IOException, InterruptedException {
    driver.say("slices", 1);
    driver.install(1);
    await(NvmlState.READING);
    assertThat(detector.names().gpus()).containsOnlyKeys("0000:3b:00", "0000:3c:00");
    driver.say("event_gi", 7).say("event_ci", 0).say("event_data", 94).say("event", 1);
    await("the event", () -> detector.statistics().events() == 1);
    ahead = EventQueue.PATIENCE;
    await("the observation", () -> !driver.observations.isEmpty());
    var observation = driver.observations.getFirst();
    assertThat(observation.fault().code()).isEqualTo("XID-94");
    assertThat(observation.unit()).isEqualTo("MIG 7/0");
    assertThat(observation.victim().pod()).isEqualTo("of-MIG 7/0");
  }

  @Test
  void shouldKeepNoThreadUntilThereIsALibrary() throws IOException, InterruptedException {
    await(NvmlState.ABSENT);
    for (int i = 0; i < 5; i++) {
      detector.tick();
    }
    assertThat(threads()).isZero();
    driver.install(1);
    await(NvmlState.READING);
    assertThat(threads()).isEqualTo(1);
    assertThat(detector.statistics().gpus()).isEqualTo(2);
    assertThat(detector.statistics().failures()).isZero();
    detector.close();
    assertThat(threads()).isZero();
    assertThat(isLoaded()).isFalse();
  }

  @Test
  void shouldStayOffWhenNotWanted() throws IOException, InterruptedException {
    driver.install(1);
    var off = detector(false);
    off.tick();
    assertThat(off.statistics().state()).isEqualTo(NvmlState.OFF);
    assertThat(threads()).isZero();
  }

  /** Three calls more for each GPU and poll, which an idle node does without. */
  @Test
  void shouldReadHowBusyGpusAreOnlyWhereAPodTrains() throws IOException, InterruptedException {
    driver.say("processes.1", 1).say("pid.1", 4711).say("busy.1", 97).install(1);
    await("a poll", () -> detector.statistics().polls() > 0);
    assertThat(detector.use(4711)).isEmpty();
    trains = true;
    await("a poll of its use", () -> detector.use(4711).isPresent());
    assertThat(detector.use(4711).map(RankDevice::gpu)).contains(SECOND);
  }

  @Test
  void shouldReportTheXidOfAnEventOnlyWhereTheKernelLogDoesNot()
      throws IOException, InterruptedException {
    driver.install(1);
    await(NvmlState.READING);
    driver.say("event_gpu", 1).say("event_data", 95).say("event", 1);
    await("the event", () -> detector.statistics().events() == 1);
    detector.heard(
        FaultObservation.of(
            NvmlEvaluator.spec(
                "node-1",
                "boot-1",
                SECOND,
                "XID-95",
                FenceGuidance.ALWAYS,
                "reset_gpu",
                Instant.EPOCH,
                "line"),
            7,
            Instant.EPOCH));
    driver.say("event_gpu", 0).say("event_data", 79).say("event", 2);
    await("the next event", () -> detector.statistics().events() == 2);
    assertThat(driver.observations).as("the kernel log goes first").isEmpty();
    ahead = EventQueue.PATIENCE.plusSeconds(1);
    await("the observation", () -> !driver.observations.isEmpty());
    assertThat(driver.observations)
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.name()).isEqualTo("node-1.0000-3b-00.xid-79");
              assertThat(one.fault().componentType()).isEqualTo(ComponentType.GPU);
              assertThat(one.fault().fence()).isEqualTo(FenceGuidance.ALWAYS);
              assertThat(one.fault().action()).isEqualTo("reboot_node");
            });
  }

  @Test
  void shouldReportPoisonAndWhatThePollAfterAnEventFinds()
      throws IOException, InterruptedException {
    driver.install(1);
    await(NvmlState.READING);
    driver.say("action.0", 1).say("event_type", NvmlEvent.FATAL_POISON).say("event", 1);
    await("both", () -> driver.observations.size() >= 2);
    assertThat(driver.codes())
        .containsExactlyInAnyOrder("NVML-FATAL-POISON", "NVML-RECOVERY-ACTION");
  }
}
