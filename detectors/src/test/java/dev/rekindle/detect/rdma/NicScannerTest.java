package dev.rekindle.detect.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NicScannerTest {
  @TempDir Path directory;
  private SysTree sys;

  @BeforeEach
  void make() throws IOException {
    sys = new SysTree(directory).add("mlx5_0", "0000:3b:00.0", "mlx5_core", "ib0");
  }

  private NicReadings scan(String... exclude) {
    return new NicScanner(sys.settings(Set.of(exclude), Map.of())).scan();
  }

  private boolean up() {
    return scan().ports().getFirst().up();
  }

  @Test
  void shouldReadAPortAsTheKernelShowsIt() {
    sys.counter("mlx5_0", "symbol_error", 7).hardwareCounter("mlx5_0", "roce_slow_restart", 9);
    sys.counter("mlx5_0", "port_xmit_wait", 1);
    assertThat(scan())
        .isEqualTo(
            new NicReadings(
                java.util.List.of(
                    new PortReading(
                        "mlx5_0/1",
                        "mlx5_0",
                        "0000:3b:00.0",
                        true,
                        "4: ACTIVE, 5: LinkUp, 400 Gb/sec (4X NDR), InfiniBand",
                        400,
                        new TreeMap<>(
                            Map.of(
                                "link_downed", 0L,
                                "symbol_error", 7L,
                                "roce_slow_restart", 9L,
                                "carrier_changes", 1L)))),
                Set.of(),
                Set.of("0000:3b:00.0")));
  }

  @ParameterizedTest
  @CsvSource({
    "4: ACTIVE, 5: LinkUp, true",
    "4: ACTIVE, '', true",
    "4: ACTIVE, 3: Disabled, false",
    "1: DOWN, 3: Disabled, false",
    "1: DOWN, 2: Polling, false",
    "2: INIT, 5: LinkUp, false",
    "3: ARMED, 5: LinkUp, false",
    "'', '', false",
    "44: WHAT, 5: LinkUp, false"
  })
  void shouldBeUpOnlyWhenActiveWithItsLinkUp(String state, String physical, boolean up) {
    sys.state("mlx5_0", state, physical, "400 Gb/sec (4X NDR)");
    assertThat(up()).isEqualTo(up);
  }

  @Test
  void shouldAskTheInterfaceOfAnEfaWhoseStateSaysNothing() throws IOException {
    sys.add("rdmap0", "0000:05:00.0", "efa", "efa0");
    var net = sys.net("0000:05:00.0", "efa0");
    assertThat(scan().ports()).allMatch(PortReading::up);
    Files.writeString(net.resolve("carrier"), "0\n");
    assertThat(scan().ports().get(1).up()).isFalse();
    Files.writeString(net.resolve("carrier"), "1\n");
    Files.writeString(net.resolve("operstate"), "down\n");
    assertThat(scan().ports().get(1).up()).isFalse();
    // An mlx5 with an interface that no one uses carries RDMA all the same.
    Files.writeString(sys.net("0000:3b:00.0", "ib0").resolve("operstate"), "down\n");
    assertThat(up()).isTrue();
  }

  @Test
  void shouldLeaveOutWhatIsNotForTraining() throws IOException {
    sys.add("mlx5_1", "0000:5e:00.0", "mlx5_core", "eth0");
    sys.add("mlx5_2", "0000:5e:00.2", "mlx5_core", "eth2");
    sys.virtual("0000:5e:00.2", "0000:5e:00.0");
    sys.add("mlx5_3", "0000:9b:00.0", "mlx5_core");
    sys.routes("eth0");
    var readings = scan("mlx5_3");
    assertThat(readings.ports()).extracting(PortReading::id).containsExactly("mlx5_0/1");
    assertThat(readings.excluded()).containsExactlyInAnyOrder("mlx5_1", "mlx5_2", "mlx5_3");
  }

  @Test
  void shouldFindNothingWhereThereIsNothing() {
    var empty = new NicScanner(new SysTree(directory.resolve("none")).settings(Set.of(), Map.of()));
    assertThat(empty.hasDevices()).isFalse();
    assertThat(empty.scan()).isEqualTo(new NicReadings(java.util.List.of(), Set.of(), Set.of()));
    assertThat(new NicScanner(sys.settings(Set.of(), Map.of())).hasDevices()).isTrue();
  }

  @Test
  void shouldLeaveOutCountersThatAreNoNumbers() {
    sys.counter("mlx5_0", "symbol_error", -1);
    assertThat(scan().ports().getFirst().counters()).doesNotContainKey("symbol_error");
  }

  /** As by a process that may open no more files: ports that are not seen are not gone. */
  @Test
  void shouldNotTakeDevicesThatCannotBeListedForGone() throws IOException {
    var sys = new SysTree(directory.resolve("sys")).add("mlx5_0", "0000:3b:00.0", "mlx5_core");
    var devices = sys.root.resolve("class/infiniband");
    var scanner = new NicScanner(sys.settings(Set.of(), Map.of()));
    assertThat(scanner.scan().ports()).hasSize(1);
    Files.move(devices, devices.resolveSibling("moved"));
    assertThat(scanner.scan().ports()).as("not there").isEmpty();
    Files.createFile(devices);
    assertThatThrownBy(scanner::scan).isInstanceOf(UncheckedIOException.class);
    assertThat(scanner.names(NicNames.NONE).ports()).isEmpty();
  }
}
