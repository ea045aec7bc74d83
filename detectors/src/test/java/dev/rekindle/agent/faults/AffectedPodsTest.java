package dev.rekindle.agent.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.MigInstance;
import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.nvml.GpuNames;
import dev.rekindle.detect.pod.TrainingContainer;
import dev.rekindle.detect.pod.TrainingPod;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which pod a kernel record is about. */
class AffectedPodsTest extends FaultSinkFixture {
  private static final String CONTAINER = "0123456789abcdef0123456789abcdef";

  private void runProcessSevenInAPod() throws IOException {
    pods.add(
        new TrainingPod(
            "team",
            "job-worker-1",
            "uid",
            "job",
            "job-uid",
            now,
            false,
            false,
            new TrainingContainer(CONTAINER, 0, true),
            Set.of("MIG-a")));
    Files.createDirectories(directory.resolve("7"));
    Files.writeString(
        directory.resolve("7/cgroup"),
        "0::/kubepods.slice/cri-containerd-" + CONTAINER + ".scope\n");
  }

  @Test
  void shouldNamePodThatWasHitWhenItsProcessStillRuns() throws IOException {
    runProcessSevenInAPod();
    log(1, 0, exception(1));
    assertThat(written.getLast().victim())
        .isEqualTo(new AffectedPod("team", "job-worker-1", "job-uid", "job", "python"));
    log(2, 1, exception(1).replace("pid=7", "pid=8"));
    assertThat(written.getLast().victim()).isEqualTo(AffectedPod.UNKNOWN.as("python"));
  }

  @Test
  void shouldFenceForLostMemoryUnderARankAlone() throws IOException {
    runProcessSevenInAPod();
    log(1, 0, "Memory failure: 0x1: Killing python:7 due to hardware memory corruption");
    assertThat(fence()).isEqualTo(FenceGuidance.ALWAYS);
    assertThat(written.getLast().victim().pod()).isEqualTo("job-worker-1");
  }

  private void holder(String name, boolean finished, String... devices) {
    pods.add(
        new TrainingPod(
            "team",
            name,
            name + "-uid",
            "job",
            "job-uid",
            now,
            false,
            finished,
            TrainingContainer.NONE,
            Set.of(devices)));
  }

  private static GpuNames.Slice slice(int gpu, int compute, String uuid) {
    return new GpuNames.Slice(new MigInstance(gpu, OptionalInt.of(compute)), uuid);
  }

  /** A GPU in slices, and a whole one. */
  private void readGpus() {
    gpus =
        new GpuNames(
            Map.of(
                "0000:3b:00",
                new GpuNames.Gpu(
                    "GPU-3b",
                    List.of(slice(5, 0, "MIG-a"), slice(5, 1, "MIG-b"), slice(6, 0, "MIG-c"))),
                "0000:4b:00",
                new GpuNames.Gpu("GPU-4b", List.of())));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "(PCI:0000:3b:00 GPU-I:05 GPU-CI:01): 43, Ch 8|of-b",
        "(PCI:0000:3b:00 GPU-I:05 GPU-CI:01): 43, pid=9, name=python, Ch 8|of-b",
        "(PCI:0000:3b:00 GPU-I:06): 43, Ch 8|of-c",
        // Two pods have a part of this instance, and three of this GPU.
        "(PCI:0000:3b:00 GPU-I:05): 43, Ch 8|",
        "(PCI:0000:3b:00): 43, Ch 8|",
        // Instances that NVML has not reported.
        "(PCI:0000:3b:00 GPU-I:05 GPU-CI:07): 43, Ch 8|",
        "(PCI:0000:5b:00 GPU-I:05 GPU-CI:01): 43, Ch 8|",
        "(PCI:0000:4b:00): 119, Timeout after 6s of waiting for RPC response|of-4b",
      })
  void shouldNameThePodThatHoldsThePartOfTheGpu(String line, String pod) {
    readGpus();
    holder("of-a", false, "MIG-a");
    // As plugins of old drivers have it.
    holder("of-b", false, "GPU-9b", "MIG-GPU-3b/5/1");
    holder("of-b-before", true, "MIG-b");
    holder("of-c", false, "MIG-c");
    holder("of-4b", false, "GPU-4b");
    log(1, 0, "NVRM: Xid " + line);
    assertThat(written.getLast().victim())
        .isEqualTo(
            (pod == null ? AffectedPod.UNKNOWN : new AffectedPod("team", pod, "job-uid", "job", ""))
                .as(line.contains("python") ? "python" : ""));
  }

  @Test
  void shouldAskTheKubeletWhereAPodDoesNotNameWhatItHolds() throws IOException {
    readGpus();
    holder("silent", false);
    holder("listed", false, "MIG-c");
    Files.writeString(
        directory.resolve("kubelet"),
        """
        {"Data":{"PodDeviceEntries":[
          {"PodUID":"silent-uid","ResourceName":"nvidia.com/mig-1g.10gb","DeviceIDs":{"-1":["MIG-b"]}},
          {"PodUID":"listed-uid","ResourceName":"nvidia.com/mig-1g.10gb","DeviceIDs":{"-1":["MIG-b"]}},
          {"PodUID":"gone-uid","ResourceName":"nvidia.com/mig-1g.10gb","DeviceIDs":{"-1":["MIG-b"]}}
        ]},"Checksum":7}
        """);
    log(1, 0, "NVRM: Xid (PCI:0000:3b:00 GPU-I:05 GPU-CI:01): 43, Ch 8");
    assertThat(written.getLast().victim())
        .isEqualTo(new AffectedPod("team", "silent", "job-uid", "job", ""));
  }

  @Test
  void shouldBelieveTheProcessBeforeTheDevice() throws IOException {
    readGpus();
    runProcessSevenInAPod();
    holder("of-b", false, "MIG-b");
    var line = "NVRM: Xid (PCI:0000:3b:00 GPU-I:05 GPU-CI:01): 43, pid=7, name=python, Ch 8";
    log(1, 0, line);
    assertThat(written.getLast().victim().pod()).isEqualTo("job-worker-1");
    // One that lives and is no training was hit instead of the pod that trains there.
    Files.createDirectories(directory.resolve("8"));
    Files.writeString(directory.resolve("8/cgroup"), "0::/system.slice/dcgm.service\n");
    log(2, 1, line.replace("pid=7", "pid=8"));
    assertThat(written.getLast().victim()).isEqualTo(AffectedPod.UNKNOWN.as("python"));
    log(3, 2, line.replace("pid=7", "pid=9"));
    assertThat(written.getLast().victim().pod()).isEqualTo("of-b");
  }

  @Test
  void shouldNameNoPodWhereAGpuIsSharedInTime() {
    readGpus();
    holder("one", false, "GPU-4b");
    holder("other", false, "GPU-4b");
    log(1, 0, "NVRM: Xid (PCI:0000:4b:00): 43, Ch 8");
    assertThat(written.getLast().victim()).isEqualTo(AffectedPod.UNKNOWN);
  }
}
