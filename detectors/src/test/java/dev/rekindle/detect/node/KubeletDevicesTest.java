package dev.rekindle.detect.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KubeletDevicesTest {
  @TempDir Path directory;
  private int written;

  private Path file() {
    return directory.resolve("kubelet_internal_checkpoint");
  }

  private void write(String text) throws IOException {
    Files.writeString(file(), text);
    // Two writes may fall into one tick of the file system.
    Files.setLastModifiedTime(file(), FileTime.from(Instant.ofEpochSecond(++written)));
  }

  private static String entries(String entries) {
    return "{\"Data\":{\"PodDeviceEntries\":[%s],\"RegisteredDevices\":{}},\"Checksum\":1}"
        .formatted(entries);
  }

  @Test
  void shouldReadWhatEachPodHoldsWhateverItsContainersAreCalled() throws IOException {
    write(
        entries(
            """
            {"PodUID":"a","ContainerName":"pytorch","ResourceName":"nvidia.com/gpu",
             "DeviceIDs":{"0":["GPU-1","GPU-2::3"],"1":["GPU-3"]},"AllocResp":"CkIK"},
            {"PodUID":"a","ContainerName":"pytorch","ResourceName":"rdma/hca",
             "DeviceIDs":{"-1":["mlx5_0"]},"AllocResp":""},
            {"PodUID":"b","ContainerName":"x","ResourceName":"nvidia.com/mig-1g.10gb",
             "DeviceIDs":{"-1":["MIG-1"]},"AllocResp":""}\
            """));
    var devices = new KubeletDevices(file());
    assertThat(devices.of("a")).containsExactlyInAnyOrder("GPU-1", "GPU-2", "GPU-3", "mlx5_0");
    assertThat(devices.of("b")).containsExactly("MIG-1");
    assertThat(devices.of("c")).isEmpty();
  }

  @Test
  void shouldReadAgainWhenTheKubeletHasWritten() throws IOException {
    var devices = new KubeletDevices(file());
    assertThat(devices.of("a")).isEmpty();
    write(entries("{\"PodUID\":\"a\",\"DeviceIDs\":{\"0\":[\"GPU-1\"]}}"));
    assertThat(devices.of("a")).containsExactly("GPU-1");
    write(entries("{\"PodUID\":\"a\",\"DeviceIDs\":{\"0\":[\"GPU-2\"]}}"));
    assertThat(devices.of("a")).containsExactly("GPU-2");
    Files.delete(file());
    assertThat(devices.of("a")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "{\"Data\":7}",
        "{\"Data\":{\"PodDeviceEntries\":{\"a\":1}}}",
        "{\"Data\":{\"PodDeviceEntries\":[7,null,{\"PodUID\":\"a\",\"DeviceIDs\":7}]}}",
        "{\"Data\":{\"PodDeviceEntries\":[{\"PodUID\":\"a\",\"DeviceIDs\":{\"0\":[7,{}]}}]}}"
      })
  void shouldKnowNothingFromWhatMakesNoSense(String text) throws IOException {
    write(text);
    assertThat(new KubeletDevices(file()).of("a")).isEmpty();
  }

  @Test
  void shouldNotReadAFileThatIsTooBig() throws IOException {
    write(entries("{\"PodUID\":\"a\",\"DeviceIDs\":{\"0\":[\"GPU-1\"]}}") + " ".repeat(1 << 20));
    assertThat(new KubeletDevices(file()).of("a")).isEmpty();
  }
}
