package dev.rekindle.detect.freeze;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContainerUsageTest {
  private static final String ID = "0123456789abcdef0123";
  private static final String POD = "kubepods.slice/pod1/cri-containerd-" + ID + ".scope/";

  @TempDir Path root;

  private void file(String name, String text) throws IOException {
    var path = root.resolve(name);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private ContainerUsage usage() throws IOException {
    return ContainerUsage.of(root, ID);
  }

  @Test
  void shouldReadVersion2() throws IOException {
    file("cgroup.controllers", "cpu io");
    file(POD + "cpu.stat", "usage_usec 1234567\nuser_usec 1000000\nsystem_usec 234567\n");
    file(
        POD + "io.stat",
        "8:0 rbytes=4096 wbytes=100 rios=1 wios=1 dbytes=7 dios=1\n253:0 rbytes=10 wbytes=0\n");
    assertThat(usage().cpuMicros()).hasValue(1_234_567);
    assertThat(usage().ioBytes()).hasValue(4206);
  }

  @Test
  void shouldReadVersion1() throws IOException {
    file("cpuacct/" + POD + "cpuacct.usage", "1463432202120\n");
    file(
        "blkio/" + POD + "blkio.throttle.io_service_bytes_recursive",
        "8:0 Read 4096\n8:0 Write 1\n8:0 Total 4097\nTotal 4097\n");
    assertThat(usage().cpuMicros()).hasValue(1_463_432_202L);
    assertThat(usage().ioBytes()).hasValue(4097);
  }

  /** Beside version 1 the folder of version 2 may be there and count nothing. */
  @Test
  void shouldBelieveVersion1WhereBothAreThere() throws IOException {
    file("unified/cgroup.controllers", "");
    file("unified/" + POD + "cpu.stat", "usage_usec 0\n");
    file("cpuacct/" + POD + "cpuacct.usage", "5000\n");
    assertThat(usage().cpuMicros()).hasValue(5);
    Files.delete(root.resolve("cpuacct/" + POD + "cpuacct.usage"));
    assertThat(usage().cpuMicros()).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "usage_usec", "usage_usec x", "usage_usec 99999999999999999999"})
  void shouldKnowNothingOfWhatCannotBeRead(String stat) throws IOException {
    file("cgroup.controllers", "cpu");
    file(POD + "cpu.stat", stat);
    file("cpuacct/" + POD + "cpuacct.usage", "x");
    assertThat(usage().cpuMicros()).isEmpty();
    assertThat(usage().ioBytes()).isEmpty();
  }

  @Test
  void shouldKnowNothingOfAContainerThatIsNotThere() throws IOException {
    file("cgroup.controllers", "cpu");
    assertThat(usage().cpuMicros()).isEmpty();
  }
}
