package dev.rekindle.detect.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.app.AgentClient;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.MigInstance;
import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultResolution;
import dev.rekindle.detect.state.StateFolder;
import dev.rekindle.detect.xid.XidCatalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole detector over a compiled stand-in for the library, in real time. */
class NvmlDetectorTest {
  private static final String FIRST = "0000:3b:00";
  private static final String SECOND = "0000:3c:00";

  @TempDir Path directory;
  private volatile Duration ahead = Duration.ZERO;
  private Duration slowestTick = Duration.ZERO;
  private StandIn driver;
  private NvmlDetector detector;

  @BeforeEach
  void make() throws IOException {
    driver = new StandIn(directory);
    driver.say("count", 2);
    detector = detector(true);
  }

  private NvmlDetector detector(boolean enabled) {
    return new NvmlDetector(
        new NvmlSettings(
            enabled,
            List.of(driver.root()),
            Duration.ofMillis(300),
            Duration.ofMillis(600),
            Duration.ofMillis(200),
            Duration.ofMillis(100)),
        "node-1",
        "boot-1",
        new StateFolder(directory, AgentClient.json()),
        XidCatalog.load(),
        driver,
        (pci, part) ->
            new AffectedPod("team", "of-" + part.map(MigInstance::toString).orElse(pci), "job"),
        () -> Instant.now().plus(ahead));
  }

  @AfterEach
  void close() throws IOException {
    driver.say("hang_count", 0).say("hang_wait", 0);
    detector.close();
  }

  private void await(String what, BooleanSupplier condition) {
    var end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime())
          .as("waited 20 s for " + what + "; " + detector.statistics() + driver.observations)
          .isLessThan(end);
      var start = System.nanoTime();
      detector.tick();
      var took = Duration.ofNanos(System.nanoTime() - start);
      slowestTick = took.compareTo(slowestTick) > 0 ? took : slowestTick;
      LockSupport.parkNanos(10_000_000);
    }
  }

  private void await(NvmlState state) {
    await(state.toString(), () -> detector.statistics().state() == state);
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("nvml"))
        .count();
  }

  private boolean isLoaded() {
    try {
      return Files.readString(Path.of("/proc/self/maps")).contains(driver.library().toString());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

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

  @Test
  void shouldLetGoOfAGpuThatNeedsAResetAndSeeWhenItIsDone()
      throws IOException, InterruptedException {
    driver.install(1);
    await(NvmlState.READING);
    assertThat(isLoaded()).isTrue();
    driver.say("action.0", 1);
    await("the fault", () -> driver.codes().contains("NVML-RECOVERY-ACTION"));
    await("devices let go", () -> !isLoaded());
    driver.say("action.0", 0);
    await("the all-clear", () -> !driver.clearances.isEmpty());
    assertThat(driver.clearances)
        .singleElement()
        .extracting(FaultResolution::componentId, FaultResolution::by)
        .containsExactly(FIRST, "driver");
    await(NvmlState.READING);
  }

  @Test
  void shouldReportALostGpuByAFreshStartWhenTheWaitEndsWithIt()
      throws IOException, InterruptedException {
    driver.install(1);
    await(NvmlState.READING);
    driver.say("answer.1", NvmlReturn.GPU_IS_LOST).say("wait", NvmlReturn.GPU_IS_LOST);
    // A fresh start has no address for a lost one; it is found by which one is missing.
    await("the fault", () -> driver.codes().contains("NVML-GPU-LOST"));
    assertThat(driver.observations.getFirst().fault().componentId()).isEqualTo(SECOND);
    assertThat(driver.observations.getFirst().fault().fence()).isEqualTo(FenceGuidance.ALWAYS);
    driver.say("answer.1", 0).say("wait", 0);
    await("the clearance", () -> !driver.clearances.isEmpty());
    assertThat(driver.clearances.getFirst().by()).isEqualTo("probe");
  }

  @Test
  void shouldReportADriverThatHangsAndNeverWaitForIt() throws IOException, InterruptedException {
    driver.install(1);
    await(NvmlState.READING);
    driver.say("hang_count", 1);
    await(NvmlState.HUNG);
    await("the fault", () -> !driver.observations.isEmpty());
    NodeFaultSpec fault = driver.observations.getFirst().fault();
    assertThat(fault.code()).isEqualTo("NVML-DRIVER-HUNG");
    assertThat(fault.componentType()).isEqualTo(ComponentType.NODE);
    var end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
    await("two seconds", () -> System.nanoTime() > end);
    assertThat(threads()).as("never a second one").isEqualTo(1);
    assertThat(driver.observations).hasSize(1);
    assertThat(slowestTick).isLessThan(Duration.ofMillis(500));
    driver.say("hang_count", 0);
    await("the clearance", () -> !driver.clearances.isEmpty());
    assertThat(driver.clearances.getFirst().codes()).containsExactly("NVML-DRIVER-HUNG");
    await(NvmlState.READING);
    assertThat(detector.statistics().failures()).isEqualTo(1);
  }

  @Test
  void shouldReportAHangAtTheVeryStart() throws IOException, InterruptedException {
    driver.say("hang_init", 1);
    driver.install(1);
    await(NvmlState.HUNG);
    await("the fault", () -> driver.codes().contains("NVML-DRIVER-HUNG"));
    driver.say("hang_init", 0);
    await(NvmlState.READING);
    assertThat(driver.clearances).hasSize(1);
  }

  @Test
  void shouldTakeTheNewLibraryWhenTheDriverIsUpgradedUnderIt()
      throws IOException, InterruptedException {
    driver.install(1);
    await(NvmlState.READING);
    driver.say("driver_build", 2);
    await(NvmlState.MISMATCH);
    driver.install(2);
    await(NvmlState.READING);
    assertThat(driver.observations).as("an upgrade is no fault").isEmpty();
  }

  @Test
  void shouldTryAgainWhenTheDriverIsNotThereYet() throws IOException, InterruptedException {
    driver.say("init", NvmlReturn.DRIVER_NOT_LOADED);
    driver.install(1);
    await(NvmlState.NO_DRIVER);
    await("no thread", () -> threads() == 0 || detector.statistics().failures() > 3);
    driver.say("init", NvmlReturn.NO_PERMISSION);
    await(NvmlState.NO_PERMISSION);
    driver.say("init", 999);
    await(NvmlState.FAILED);
    driver.say("init", 0);
    await(NvmlState.READING);
    assertThat(driver.observations).isEmpty();
  }

  @Test
  void shouldReportAgainWhatCouldNotBeReported() throws IOException, InterruptedException {
    driver.refuse = true;
    driver.say("failed.0", 1);
    driver.install(1);
    await("some polls", () -> detector.statistics().polls() > 2);
    assertThat(driver.observations).isEmpty();
    driver.refuse = false;
    await("the fault", () -> driver.codes().contains("NVML-ROW-REMAP-FAILED"));
    await("the memory", () -> Files.exists(directory.resolve("nvml-memory")));
    detector.close();
    driver.say("failed.0", 0);
    detector = detector(true);
    await("the clearance by the next agent", () -> !driver.clearances.isEmpty());
  }
}
