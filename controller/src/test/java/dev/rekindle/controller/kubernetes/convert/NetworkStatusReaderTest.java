package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.network.AttachedNic;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The annotation that Multus writes on a pod. */
class NetworkStatusReaderTest {
  /**
   * As Multus 4.2 writes it: the default network, one with a device, one that shares its device.
   */
  private static final String WRITTEN =
      """
      [{
          "name": "kindnet",
          "interface": "eth0",
          "ips": ["10.244.1.7"],
          "mac": "de:0e:6e:2e:a9:c8",
          "default": true,
          "dns": {}
      },{
          "name": "spiderpool/gpu1",
          "interface": "net1",
          "ips": ["172.16.11.5"],
          "mac": "be:2f:5c:1f:70:11",
          "dns": {},
          "device-info": {
              "type": "pci",
              "version": "1.1.0",
              "pci": {"pci-address": "0000:18:02.5", "rdma-device": "mlx5_10"}
          }
      },{
          "name": "spiderpool/gpu2",
          "interface": "net2",
          "mac": "be:2f:5c:1f:70:12",
          "dns": {}
      }]
      """;

  private static List<AttachedNic> read(String text) {
    return NetworkStatusReader.read(Map.of(NetworkStatusReader.STATUS, text));
  }

  @Test
  void shouldReadTheNicsBesideTheFirst() {
    assertThat(read(WRITTEN))
        .containsExactly(
            new AttachedNic("spiderpool/gpu1", "net1", true, "mlx5_10"),
            new AttachedNic("spiderpool/gpu2", "net2", false, ""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[",
        "{}",
        "[1, null, \"net1\", []]",
        "[{\"interface\": \"net1\"}]",
        "[{\"name\": 7}]",
        "[{\"name\": \"a/b\", \"default\": true, \"device-info\": 3}]"
      })
  void shouldReadNothingOfWhatMakesNoSense(String text) {
    assertThat(read(text)).isEmpty();
  }

  @Test
  void shouldReadNothingWithoutTheAnnotation() {
    assertThat(NetworkStatusReader.read(Map.of())).isEmpty();
  }

  @Test
  void shouldBoundWhatATenantWrites() {
    String many =
        IntStream.range(0, 500)
            .mapToObj(i -> "{\"name\": \"a/n%d\"}".formatted(i))
            .collect(Collectors.joining(",", "[", "]"));
    assertThat(read(many)).hasSize(64);
    assertThat(read("[{\"name\": \"a/b\", \"mac\": \"" + "x".repeat(70_000) + "\"}]")).isEmpty();
    assertThat(read("[{\"name\": \"" + "x".repeat(300) + "\"}]")).isEmpty();
  }
}
