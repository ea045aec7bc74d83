package dev.rekindle.detect.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.fault.FaultResolution;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Drivers that hang, go and come back. */
class NvmlDetectorFailuresTest extends NvmlDetectorFixture {
  @Override
  Duration hung() {
    return Duration.ofMillis(600);
  }

  private static final String FIRST = "0000:3b:00";

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
    assertThat(driver.observations.getFirst().fault().deviceUuid())
        .startsWith("GPU-")
        .isEqualTo(detector.names().uuid(SECOND));
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
    // A tick that waited for the driver would block until hang_count is reset below.
    var end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
    await("two seconds", () -> System.nanoTime() > end);
    assertThat(threads()).as("never a second one").isEqualTo(1);
    assertThat(driver.observations).hasSize(1);
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
