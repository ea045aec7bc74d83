package dev.rekindle.detect.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultReports;
import dev.rekindle.detect.fault.FaultResolution;
import dev.rekindle.detect.state.StateFolder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole detector over real folders, in real time. */
class NicDetectorTest implements FaultReports {
  @TempDir Path directory;
  private final List<FaultObservation> observations = new CopyOnWriteArrayList<>();
  private volatile boolean refuse;

  @Override
  public void saw(FaultObservation observation) {
    if (refuse) {
      throw new IllegalStateException("refused");
    }
    observations.add(observation);
  }

  @Override
  public void gone(FaultResolution clearance) {
    throw new IllegalStateException("nothing is cleared here");
  }

  private NicDetector detector(SysTree sys) {
    return new NicDetector(
        sys.settings(Set.of(), Map.of()),
        "node-1",
        "boot-1",
        new StateFolder(directory, new KubernetesSerialization()),
        this,
        InstantSource.system());
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("nics"))
        .count();
  }

  private static void await(NicDetector detector, String what, BooleanSupplier condition) {
    var end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited 60 s for " + what).isLessThan(end);
      detector.tick();
      LockSupport.parkNanos(5_000_000);
    }
  }

  @Test
  void shouldReportWhatItSeesAndAgainWhenItCouldNotBeReported() throws IOException {
    var sys = new SysTree(directory.resolve("sys")).add("mlx5_0", "0000:3b:00.0", "mlx5_core");
    var detector = detector(sys);
    await(detector, "a look", () -> detector.statistics().polls() > 0);
    assertThat(detector.statistics().ports()).isEqualTo(1);
    assertThat(detector.statistics().down()).isZero();
    refuse = true;
    sys.counter("mlx5_0", "link_downed", 1);
    var polls = detector.statistics().polls();
    await(detector, "more polls", () -> detector.statistics().polls() > polls + 2);
    refuse = false;
    await(detector, "the fault", () -> !observations.isEmpty());
    sys.down("mlx5_0");
    await(detector, "it to be down", () -> detector.statistics().down() == 1);
    detector.close();
    assertThat(observations).hasSize(1);
    assertThat(Files.exists(directory.resolve("nic-memory"))).isTrue();
  }

  @Test
  void shouldStartNothingWhereThereAreNoDevices() {
    var detector = detector(new SysTree(directory.resolve("sys")));
    for (int i = 0; i < 20; i++) {
      detector.tick();
      assertThat(threads()).isZero();
      LockSupport.parkNanos(10_000_000);
    }
    assertThat(detector.statistics().polls()).isZero();
  }

  @Test
  void shouldNeverWaitForAFileThatHangs() throws IOException, InterruptedException {
    var sys = new SysTree(directory.resolve("sys")).add("mlx5_0", "0000:3b:00.0", "mlx5_core");
    var file = sys.root.resolve("class/infiniband/mlx5_0/ports/1/counters/symbol_error");
    // Opening a pipe to read waits for a writer: as a counter of a NIC whose firmware is stuck.
    var made = new ProcessBuilder("mkfifo", file.toString()).start();
    Assumptions.assumeTrue(made.waitFor() == 0, "no mkfifo on this machine");
    var detector = detector(sys);
    // A tick that waited for the file would block, as the pipe has no writer.
    for (int i = 0; i < 50; i++) {
      detector.tick();
      LockSupport.parkNanos(5_000_000);
    }
    assertThat(threads()).isEqualTo(1);
    assertThat(detector.statistics().polls()).isZero();
    // A writer that comes and goes: the read ends.
    FileChannel.open(file, StandardOpenOption.WRITE).close();
    await(detector, "the look", () -> detector.statistics().polls() > 0);
    Files.delete(file);
    detector.close();
  }
}
