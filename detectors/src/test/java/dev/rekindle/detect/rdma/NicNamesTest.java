package dev.rekindle.detect.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultReports;
import dev.rekindle.detect.fault.FaultResolution;
import dev.rekindle.detect.state.StateFolder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NicNamesTest {
  @TempDir Path directory;
  private SysTree sys;

  @BeforeEach
  void make() throws IOException {
    sys =
        new SysTree(directory.resolve("sys"))
            .add("mlx5_0", "0000:3b:00.0", "mlx5_core", "ens1f0np0")
            .add("mlx5_1", "0000:3b:00.1", "mlx5_core", "ens1f1np1")
            .add("mlx5_2", "0000:9b:00.0", "mlx5_core", "ib2");
  }

  private NicNames read(NicNames before, String... exclude) {
    return new NicScanner(sys.settings(Set.of(exclude), Map.of())).names(before);
  }

  private NicNames read() {
    return read(NicNames.NONE);
  }

  @Test
  void shouldNameThePortOfAFunctionAndAllOfACard() {
    assertThat(read().of("0000:3b:00", ".1")).containsExactly("mlx5_1/1");
    assertThat(read().of("0000:9b:00", ".1")).isEmpty();
    assertThat(read().ofCard("0000:3b:00")).containsExactly("mlx5_0/1", "mlx5_1/1");
    assertThat(read().ofCard("0000:9b:00")).containsExactly("mlx5_2/1");
    assertThat(read().ofCard("0000:9c:00")).isEmpty();
  }

  @Test
  void shouldFindTheCardOfANetworkInterface() {
    assertThat(read().card("ens1f1np1")).isEqualTo("0000:3b:00");
    assertThat(read().of("0000:3b:00", "ens1f1np1")).containsExactly("mlx5_1/1");
    assertThat(read().card("eth7")).isEmpty();
  }

  @Test
  void shouldNameNothingThatIsNotRead() throws IOException {
    sys.add("mlx5_8", "0000:3b:00.2", "mlx5_core", "ens1f0v0");
    sys.virtual("0000:3b:00.2", "0000:3b:00.0");
    sys.routes("ens1f1np1");
    assertThat(read(NicNames.NONE, "mlx5_2").ports())
        .extracting(NicNames.Port::id)
        .containsExactly("mlx5_0/1");
    // Nor what is no longer read.
    assertThat(read(read(), "mlx5_0").ports())
        .extracting(NicNames.Port::id)
        .containsExactly("mlx5_2/1");
  }

  @Test
  void shouldKeepTheNameOfAPortThatTheDriverHasGivenUp() throws IOException {
    var before = read();
    sys.remove("mlx5_1", "0000:3b:00.1", true);
    assertThat(read().of("0000:3b:00", ".1")).isEmpty();
    assertThat(read(before).of("0000:3b:00", ".1")).containsExactly("mlx5_1/1");
    assertThat(read(before).card("ens1f1np1")).isEqualTo("0000:3b:00");
  }

  @Test
  void shouldGiveNoNameToTwoCards() throws IOException {
    var before = read();
    sys.remove("mlx5_2", "0000:9b:00.0", true);
    sys.remove("mlx5_1", "0000:3b:00.1", true);
    sys.add("mlx5_1", "0000:9b:00.0", "mlx5_core", "ib2");
    assertThat(read(before).ports())
        .extracting(port -> port.id() + " " + port.pci())
        .containsExactly("mlx5_0/1 0000:3b:00.0", "mlx5_1/1 0000:9b:00.0");
  }

  @Test
  void shouldKnowFromTheAgentBeforeWhatIsGone() throws IOException {
    var kept =
        new KnownPort(
            "mlx5_5/1",
            "mlx5_5",
            "0000:c1:00.0",
            "boot-0",
            0,
            Link.NEW,
            Tally.NEW,
            new TreeMap<>());
    var json = new KubernetesSerialization();
    new StateFolder(directory, json)
        .file("nic-memory", "nic-memory-2", NicMemory.class, 1 << 20)
        .write(new NicMemory(new TreeMap<>(Map.of("mlx5_5/1", kept))));
    try (var detector = detector(sys.settings(Set.of(), Map.of()), json)) {
      assertThat(detector.names().ofCard("0000:c1:00")).containsExactly("mlx5_5/1");
      assertThat(detector.names().ofCard("0000:9b:00")).containsExactly("mlx5_2/1");
    }
    var off =
        new NicSettings(
            false, sys.root, sys.root.resolve("route"), Duration.ofSeconds(1), Set.of(), Map.of());
    try (var detector = detector(off, json)) {
      assertThat(detector.names()).isEqualTo(NicNames.NONE);
    }
  }

  private NicDetector detector(NicSettings settings, KubernetesSerialization json) {
    var ignoring =
        new FaultReports() {
          @Override
          public void saw(FaultObservation observation) {}

          @Override
          public void gone(FaultResolution clearance) {}
        };
    return new NicDetector(
        settings,
        "node-1",
        "boot-1",
        new StateFolder(directory, json),
        ignoring,
        InstantSource.system());
  }

  @Test
  void shouldStaySmallWhereDevicesComeAndGo() {
    var names = NicNames.NONE;
    for (int i = 0; i < 1000; i++) {
      var id = "mlx5_" + i;
      var address = String.format("0000:%02x:%02x.%d", i / 64 % 256, i / 8 % 8, i % 8);
      names = names.and(List.of(new NicNames.Port(id + "/1", id, address, Set.of())), Set.of());
    }
    assertThat(names.ports()).hasSize(256);
    assertThat(names.ports().getFirst().id()).isEqualTo("mlx5_999/1");
  }
}
