package dev.rekindle.detect.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.detect.MigInstance;
import dev.rekindle.detect.xid.RecoveryAction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every call through the Foreign Function API into a compiled stand-in for the library. */
class NvmlSessionTest {
  @TempDir Path directory;
  private final NvmlWatch watch = new NvmlWatch();
  private StandIn driver;

  @BeforeEach
  void install() throws IOException, InterruptedException {
    driver = new StandIn(directory);
    driver.install(1);
    driver.say("count", 2);
  }

  private NvmlSession open() throws IOException {
    return NvmlSession.open(driver.library(), watch);
  }

  private GpuReading first() throws IOException {
    try (var session = open()) {
      return session.read(true).gpus().getFirst();
    }
  }

  @Test
  void shouldReadEveryValueWhereTheLibraryPutsIt() throws IOException {
    driver
        .say("domain.0", 0x10)
        .say("action.0", 4)
        .say("ecc.0", 5_000_000_000L)
        .say("sram.0", 1)
        .say("pending.0", 1)
        .say("failed.0", 1)
        .say("links.0", 3)
        .say("down.0", 2)
        .say("replays.0", 12)
        .say("recoveries.0", 6)
        .say("fabric.0", 3)
        .say("fabric_status.0", 999)
        .say("fabric_health.0", 3)
        .say("fabric_mask.0", 0x11)
        .say("reasons.0", 0x48)
        .say("busy.0", 98)
        .say("memory.0", 41)
        .say("milliwatts.0", 611_900)
        .say("processes.0", 2)
        .say("pid.0", 4711)
        .say("used.0", 2048);
    assertThat(first())
        .isEqualTo(
            new GpuReading(
                "0010:3b:00",
                "GPU-0",
                NvmlReturn.SUCCESS,
                Optional.of(RecoveryAction.DRAIN_AND_RESET),
                OptionalLong.of(5_000_000_000L),
                true,
                true,
                true,
                new TreeMap<>(Map.of(0, true, 1, false, 2, true)),
                OptionalLong.of(12),
                OptionalLong.of(6),
                Optional.of(new FabricReading(3, 999, 3, 0x11)),
                0x48,
                List.of(),
                Optional.of(
                    new GpuUse(98, 41, 611, new TreeMap<>(Map.of(4711L, 2048L, 4712L, 1024L))))));
  }

  @Test
  void shouldDoWithoutWhatAGpuDoesNotSayOfItsUse() throws IOException {
    driver.say("use_answer.0", NvmlReturn.NOT_SUPPORTED).say("power_answer.1", 999);
    driver.say("processes.1", 65).say("busy.1", 100);
    try (var session = open()) {
      var gpus = session.read(true).gpus();
      assertThat(gpus.get(0).use()).isEmpty();
      assertThat(gpus.get(1).use()).contains(new GpuUse(100, 0, 0, new TreeMap<>()));
      // How busy a GPU is says nothing about its health.
      assertThat(gpus).extracting(GpuReading::answer).containsOnly(NvmlReturn.SUCCESS);
    }
  }

  @Test
  void shouldReadTheSlicesOfAGpu() throws IOException {
    driver.say("slices.1", 3).say("free.1", 1);
    try (var session = open()) {
      var gpus = session.read(true).gpus();
      assertThat(gpus.get(0).slices()).isEmpty();
      assertThat(gpus.get(1).slices())
          .containsExactly(
              new GpuNames.Slice(new MigInstance(7, OptionalInt.of(0)), "MIG-1-0"),
              new GpuNames.Slice(new MigInstance(9, OptionalInt.of(2)), "MIG-1-2"));
      // Whatever there is to say of slices, the GPU is well.
      assertThat(gpus.get(1).answer()).isEqualTo(NvmlReturn.SUCCESS);
    }
  }

  @Test
  void shouldKeepTheNamesOfAGpuThatDoesNotAnswer() throws IOException {
    driver.say("slices.1", 1);
    try (var session = open()) {
      var names = GpuNames.NONE.and(session.read(true).gpus());
      var part = Optional.of(new MigInstance(7, OptionalInt.empty()));
      assertThat(names.ids("0000:3c:00", part))
          .containsExactlyInAnyOrder("MIG-1-0", "MIG-GPU-1/7/0");
      assertThat(names.ids("0000:3b:00", Optional.empty())).containsExactly("GPU-0");
      driver.say("answer.1", NvmlReturn.GPU_IS_LOST);
      assertThat(names.and(session.read(true).gpus())).isEqualTo(names);
      driver.say("answer.1", 0).say("slices.1", 0);
      assertThat(names.and(session.read(true).gpus()).ids("0000:3c:00", part)).isEmpty();
    }
  }

  @Test
  void shouldReadTheOtherGpuForItself() throws IOException {
    driver.say("action.1", 2).say("ecc.0", 9);
    try (var session = open()) {
      var gpus = session.read(true).gpus();
      assertThat(gpus).extracting(GpuReading::pci).containsExactly("0000:3b:00", "0000:3c:00");
      assertThat(gpus).extracting(GpuReading::uuid).containsExactly("GPU-0", "GPU-1");
      assertThat(gpus.get(1).recoveryAction()).contains(RecoveryAction.REBOOT_NODE);
      assertThat(gpus.get(0).recoveryAction()).contains(RecoveryAction.NONE);
      assertThat(gpus.get(1).eccUncorrected()).hasValue(0);
    }
  }

  @Test
  void shouldLeaveOutWhatAnOldDriverDoesNotHave() throws IOException, InterruptedException {
    driver.install(1, "-DOLD_NAMES");
    driver
        .say("action_answer", NvmlReturn.NOT_SUPPORTED)
        .say("fabric", 3)
        .say("fabric_version", 2)
        .say("links", 0)
        .say("reasons", 0x80);
    var gpu = first();
    assertThat(gpu.answer()).isEqualTo(NvmlReturn.SUCCESS);
    assertThat(gpu.recoveryAction()).isEmpty();
    assertThat(gpu.links()).isEmpty();
    assertThat(gpu.linkReplays()).isEmpty();
    assertThat(gpu.fabric()).contains(new FabricReading(3, 0, 0, 0));
    assertThat(gpu.clockReasons()).isEqualTo(0x80);
  }

  @Test
  void shouldKnowTheAddressOfAGpuThatIsLostLater() throws IOException {
    try (var session = open()) {
      session.read(true);
      driver.say("answer.1", NvmlReturn.GPU_IS_LOST);
      var gpu = session.read(true).gpus().get(1);
      assertThat(gpu.pci()).isEqualTo("0000:3c:00");
      assertThat(gpu.lost()).isTrue();
      driver.say("handle.1", NvmlReturn.GPU_IS_LOST);
      var readings = session.read(true);
      assertThat(readings.gpus()).hasSize(1);
      assertThat(readings.nameless()).containsExactly(NvmlReturn.GPU_IS_LOST);
      assertThat(readings.anyBroken()).isTrue();
    }
  }

  @Test
  void shouldGiveEventsWithTheirGpuWhenTheyCome() throws IOException {
    try (var session = open()) {
      assertThat(session.listens()).isTrue();
      assertThat(session.await(20)).isEmpty();
      driver.say("event_gpu", 1).say("event_data", 95).say("event", 1);
      assertThat(session.await(1000))
          .contains(new NvmlEvent("0000:3c:00", NvmlEvent.XID, 95, Optional.empty()));
      assertThat(session.await(20)).isEmpty();
      driver.say("wait", NvmlReturn.GPU_IS_LOST);
      assertThatThrownBy(() -> session.await(1000))
          .isInstanceOfSatisfying(
              NvmlException.class, e -> assertThat(e.code()).isEqualTo(NvmlReturn.GPU_IS_LOST));
    }
  }

  @Test
  void shouldRegisterOnlyForWhatIsSupported() throws IOException {
    // The stand-in refuses a mask with any other bit.
    driver.say("supported", NvmlEvent.XID | 1);
    try (var session = open()) {
      assertThat(session.listens()).isTrue();
    }
    driver.say("supported", 1);
    try (var session = open()) {
      assertThat(session.listens()).isFalse();
      assertThat(session.read(true).gpus()).hasSize(2);
    }
  }

  @Test
  void shouldSayWhyItCannotStart() throws IOException {
    for (var code : List.of(NvmlReturn.DRIVER_NOT_LOADED, NvmlReturn.NO_PERMISSION, 999)) {
      driver.say("init", code);
      assertThatThrownBy(this::open)
          .isInstanceOfSatisfying(NvmlException.class, e -> assertThat(e.code()).isEqualTo(code));
    }
    assertThat(watch.stay()).isNull();
    Files.writeString(driver.library(), "no library");
    assertThatThrownBy(this::open).isInstanceOf(IOException.class).hasMessageContaining("loaded");
  }

  @Test
  void shouldLoadTheNewLibraryWhenTheDriverIsUpgraded() throws IOException, InterruptedException {
    try (var session = open()) {
      assertThat(session.read(true).gpus()).hasSize(2);
    }
    driver.say("driver_build", 2);
    assertThatThrownBy(this::open)
        .isInstanceOfSatisfying(
            NvmlException.class,
            e -> assertThat(e.code()).isEqualTo(NvmlReturn.LIB_RM_VERSION_MISMATCH));
    driver.install(2);
    try (var session = open()) {
      assertThat(session.read(true).gpus()).hasSize(2);
    }
  }
}
