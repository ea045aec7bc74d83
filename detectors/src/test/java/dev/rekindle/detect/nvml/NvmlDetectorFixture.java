package dev.rekindle.detect.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.app.AgentClient;
import dev.rekindle.detect.MigInstance;
import dev.rekindle.detect.fault.AffectedPod;
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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The whole detector over a compiled stand-in for the library, in real time. */
@ResourceLock("threads of NVML") // tests count them, and those of another class would count too
abstract class NvmlDetectorFixture {
  static final String SECOND = "0000:3c:00";

  @TempDir Path directory;
  volatile Duration ahead = Duration.ZERO;
  StandIn driver;
  NvmlDetector detector;

  /** Whether a pod of the node trains. */
  volatile boolean trains;

  @BeforeEach
  void make() throws IOException {
    driver = new StandIn(directory);
    driver.say("count", 2);
    detector = detector(true);
  }

  /** From when on a call counts as hung. A busy machine may keep any call for half a second. */
  Duration hung() {
    return Duration.ofSeconds(20);
  }

  NvmlDetector detector(boolean enabled) {
    return new NvmlDetector(
        new NvmlSettings(
            enabled,
            List.of(driver.root()),
            Duration.ofMillis(300),
            hung(),
            Duration.ofMillis(200),
            Duration.ofMillis(100)),
        "node-1",
        "boot-1",
        new StateFolder(directory, AgentClient.json()),
        XidCatalog.load(),
        driver,
        (pci, part) ->
            new AffectedPod("team", "of-" + part.map(MigInstance::toString).orElse(pci), "job"),
        () -> trains,
        () -> Instant.now().plus(ahead));
  }

  @AfterEach
  void close() throws IOException {
    driver.say("hang_count", 0).say("hang_wait", 0);
    detector.close();
  }

  void await(String what, BooleanSupplier condition) {
    var end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime())
          .as("waited 60 s for " + what + "; " + detector.statistics() + driver.observations)
          .isLessThan(end);
      detector.tick();
      LockSupport.parkNanos(10_000_000);
    }
  }

  void await(NvmlState state) {
    await(state.toString(), () -> detector.statistics().state() == state);
  }

  static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("nvml"))
        .count();
  }

  boolean isLoaded() {
    try {
      return Files.readString(Path.of("/proc/self/maps")).contains(driver.library().toString());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
