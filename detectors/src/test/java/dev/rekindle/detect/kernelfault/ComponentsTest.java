package dev.rekindle.detect.kernelfault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.detect.kernel.Finding;
import dev.rekindle.detect.kernel.KernelLines;
import dev.rekindle.detect.kernel.ParserState;
import dev.rekindle.detect.nvml.GpuNames;
import dev.rekindle.detect.rdma.NicNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComponentsTest {
  private static final GpuNames GPUS =
      new GpuNames(Map.of("0000:65:00", new GpuNames.Gpu("GPU-1", List.of())));
  private static final NicNames NICS =
      new NicNames(
          List.of(new NicNames.Port("mlx5_0/1", "mlx5_0", "0000:3b:00.0", Set.of("ens1"))));

  @TempDir Path directory;

  private Components components() {
    return new Components(
        () -> NICS,
        () -> GPUS,
        new PciTree(directory.resolve("bus"))::isBelow,
        new NodeDisks(directory.resolve("mountinfo"), directory.resolve("block"))::areTheNodes);
  }

  private Finding located(String message) {
    return components()
        .located(KernelLines.read(ParserState.EMPTY, message).finding().orElseThrow());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pcieport 0000:64:02.0: AER: Uncorrected (Fatal) error received: 0000:65:00.0|gpu|GPU"
            + "|0000:65:00",
        "pcieport 0000:3a:01.0: AER: Uncorrected (Fatal) error received: 0000:3b:00.1|nic|NIC"
            + "|mlx5_0/1",
        "pcieport 0000:40:01.0: AER: Uncorrected (Fatal) error received: 0000:41:00.0|other|NODE"
            + "|0000:41:00",
        // A NIC that is not read: of management, say.
        "mlx5_core 0000:a1:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), x|other|NODE"
            + "|0000:a1:00",
      })
  void shouldTieAPcieErrorToWhatTheNodeKnowsAtItsAddress(
      String message, String mark, ComponentType type, String id) {
    var finding = located(message);

    assertThat(finding.mark()).isEqualTo(mark);
    assertThat(finding.component()).isEqualTo(type);
    assertThat(components().of(finding)).containsExactly(id);
  }

  @Test
  void shouldFindTheGpuBelowThePortThatCouldNotBeRecovered() throws IOException {
    var device = directory.resolve("devices/pci0000:64/0000:64:02.0/0000:65:00.0");
    Files.createDirectories(device);
    Files.createDirectories(directory.resolve("bus"));
    Files.createSymbolicLink(directory.resolve("bus/0000:65:00.0"), device);

    assertThat(located("pcieport 0000:64:02.0: AER: device recovery failed"))
        .satisfies(f -> assertThat(f.device()).isEqualTo("0000:65:00"))
        .satisfies(f -> assertThat(f.mark()).isEqualTo(Finding.GPU));
    assertThat(located("pcieport 0000:64:02.1: AER: device recovery failed").mark())
        .as("another function, another port")
        .isEqualTo(Finding.OTHER);
  }

  @ParameterizedTest
  @CsvSource({"nvme0n1p2, ''", "sdb, other", "sdc, other", "dm-1, ''", "sdz, other"})
  void shouldDistinguishTheNodesOwnDisksFromVolumesOfPods(String disk, String mark)
      throws IOException {
    block("259:2", "nvme0n1p2");
    block("8:16", "sdb");
    block("8:32", "sdc");
    block("253:1", "dm-1");
    Files.writeString(
        directory.resolve("mountinfo"),
        """
        22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw
        23 22 0:21 / /proc rw - proc proc rw
        24 22 253:1 / /var/lib/containerd rw - xfs /dev/mapper/vg-data rw
        25 22 8:16 / /var/lib/kubelet/pods/1/volumes/kubernetes.io~csi/pvc/mount rw - ext4 /dev/sdb
        26 22 8:32 / /var/lib/kubelet/plugins/kubernetes.io/csi/x/globalmount rw - ext4 /dev/sdc rw
        odd
        """);

    assertThat(located("EXT4-fs (" + disk + "): Remounting filesystem read-only").mark())
        .isEqualTo(mark);
  }

  @Test
  void shouldNotTakeADiskForTheNodesOwnWhereThatIsUnknown() {
    assertThat(located("XFS (nvme0n1p2): Filesystem has been shut down due to log error.").mark())
        .isEqualTo(Finding.OTHER);
  }

  private void block(String number, String name) throws IOException {
    var device = directory.resolve("devices/" + name);
    Files.createDirectories(device);
    Files.createDirectories(directory.resolve("block"));
    Files.createSymbolicLink(directory.resolve("block/" + number), device);
  }
}
