package dev.rekindle.agent.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.agent.app.AgentClient;
import dev.rekindle.agent.telemetry.AgentMetrics;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.MigInstance;
import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultReports;
import dev.rekindle.detect.fault.FaultResolution;
import dev.rekindle.detect.freeze.ContainerOfProcess;
import dev.rekindle.detect.kernelfault.Components;
import dev.rekindle.detect.kernelfault.FaultSink;
import dev.rekindle.detect.kernelfault.JudgeFile;
import dev.rekindle.detect.kernelfault.JudgeMemory;
import dev.rekindle.detect.kmsg.Boot;
import dev.rekindle.detect.kmsg.KmsgRecord;
import dev.rekindle.detect.node.KubeletDevices;
import dev.rekindle.detect.nvml.GpuNames;
import dev.rekindle.detect.pod.TrainingContainer;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.rdma.NicNames;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.rules.Rules;
import dev.rekindle.detect.state.StateFolder;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.xid.XidCatalog;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FaultSinkTest {
  private static final String CONTAINER = "0123456789abcdef0123456789abcdef";
  private static final Boot BOOT = new Boot("boot-1", Instant.parse("2026-01-01T00:00:00Z"));
  private static final Boot NEXT = new Boot("boot-2", Instant.parse("2026-01-01T12:00:00Z"));

  @TempDir Path directory;
  private final List<FaultObservation> written = new ArrayList<>();
  private final List<FaultResolution> cleared = new ArrayList<>();
  private final List<TrainingPod> pods = new ArrayList<>();
  private boolean away;
  private String refused = "";
  private NicNames nics = NicNames.NONE;
  private GpuNames gpus = GpuNames.NONE;
  private Instant now = Instant.parse("2026-01-01T01:00:00Z");
  private FaultSink sink;

  @BeforeEach
  void start() {
    sink = start(BOOT);
  }

  private FaultSink start(Boot boot) {
    return new FaultSink(
        "node-1",
        boot,
        () -> new Judge(Rules.shipped(), XidCatalog.load(), SxidCatalog.load()),
        new JudgeMemory(
            new JudgeFile(new StateFolder(directory, AgentClient.json())), boot, () -> now),
        new PodResolver(
            new ContainerOfProcess(directory),
            () -> pods,
            () -> gpus,
            new KubeletDevices(directory.resolve("kubelet")),
            pod -> pod.job()),
        Components.of(() -> nics),
        new FaultReports() {
          @Override
          public void saw(FaultObservation observation) {
            if (away || observation.name().equals(refused)) {
              throw new IllegalStateException("away");
            }
            written.add(observation);
          }

          @Override
          public void gone(FaultResolution clearance) {
            if (away) {
              throw new IllegalStateException("away");
            }
            cleared.add(clearance);
          }
        },
        new AgentMetrics(new PrometheusRegistry()));
  }

  private void log(long sequence, long second, String text) {
    sink.accept(
        new KmsgRecord(0, 4, sequence, second * 1_000_000, text), BOOT.time().plusSeconds(second));
  }

  private static String exception(int gpc) {
    return "NVRM: Xid (PCI:0000:3b:00): 13, pid=7, name=python, Graphics SM Warp Exception on (GPC "
        + gpc
        + ", TPC 2, SM 0): Out Of Range Address";
  }

  private FenceGuidance fence() {
    return written.getLast().fault().fence();
  }

  private static String twin() {
    return "NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.";
  }

  private static String offTheBus() {
    return "NVRM: Xid (PCI:0000:3b:00): 79, pid=7, name=python, GPU has fallen off the bus.";
  }

  /** However often a program crashes: what that means is weighed where all nodes are seen. */
  @Test
  void shouldStateFactsAndNotWeighWhatComesAgain() {
    for (int i = 0; i < 20; i++) {
      log(i, 1000L * i, exception(1));
      assertThat(fence()).isEqualTo(FenceGuidance.THRESHOLD);
      assertThat(written.getLast().unit()).isEqualTo("GPC 1 TPC 2");
      assertThat(written.getLast().victim().process()).isEqualTo("python");
      assertThat(written.getLast().fault().action()).isEqualTo("restart_job");
      assertThat(written.getLast().fault().evidence()).isEqualTo(exception(1));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "NVRM: Xid (PCI:0000:3b:00): 31, pid=7, name=x, Ch 8|THRESHOLD|",
        "NVRM: Xid (PCI:0000:3b:00): 32, pid=7, name=x, Ch 8|THRESHOLD|",
        "NVRM: Xid (PCI:0000:3b:00): 109, pid=7, name=x, CTX SWITCH TIMEOUT|THRESHOLD|",
        "NVRM: Xid (PCI:0000:3b:00): 43, pid=7, name=x, Ch 8|NEVER|",
        "NVRM: Xid (PCI:0000:3b:00): 94, pid=7, name=x, Contained: SM. RST: No|THRESHOLD|contained",
        "NVRM: Xid (PCI:0000:3b:00): 94, pid=7, name=x, Contained: SM. RST: Yes|ALWAYS|reset",
        "NVRM: Xid (PCI:0000:3b:00): 63, Row Remapper: New row|THRESHOLD|",
        "NVRM: Xid (PCI:0000:3b:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 9 (0x02600000)"
            + "|NEVER|host",
        "EXT4-fs (rbd0): Remounting filesystem read-only|NEVER|other",
        "Memory failure: 0x1: Killing x:7 due to hardware memory corruption|THRESHOLD|other",
      })
  void shouldSayOfARecordByItselfWhetherItFences(
      String line, FenceGuidance fence, @Nullable String mark) {
    log(1, 0, line);
    assertThat(fence()).isEqualTo(fence);
    assertThat(written.getLast().mark()).isEqualTo(mark == null ? "" : mark);
  }

  @Test
  void shouldKnowAnEchoWhenTheAgentIsStartedAgainAndNotAfterAReboot() {
    log(1, 0, offTheBus());
    sink = start(BOOT);
    log(2, 10, twin());
    assertThat(written).hasSize(1);
    sink = start(NEXT);
    log(1, 20, twin());
    assertThat(written).hasSize(2);
    assertThat(fence()).isEqualTo(FenceGuidance.ALWAYS);
  }

  @Test
  void shouldCountNothingTwiceWhenTheLogIsReplayed() {
    log(1, 0, exception(1));
    now = now.plusSeconds(6);
    log(2, 5000, exception(3));
    sink = start(BOOT);
    log(1, 0, exception(1));
    log(2, 5000, exception(3));
    assertThat(written).hasSize(2);
    log(3, 5001, exception(4));
    assertThat(written).hasSize(3);
  }

  @Test
  void shouldCountOnceWhatCouldNotBeWritten() {
    away = true;
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> log(1, 0, exception(1))).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(
              () ->
                  log(
                      1,
                      0,
                      "NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x1 (GPU"
                          + " Reset Required) to 0x0 (None)"))
          .isInstanceOf(IllegalStateException.class);
    }
    away = false;
    log(1, 0, exception(1));
    assertThat(written).hasSize(1);
  }

  @Test
  void shouldStartAnewWhenItsFileIsBroken() throws IOException {
    Files.writeString(directory.resolve("judge"), "{\"version\":");
    sink = start(BOOT);
    log(1, 0, exception(1));
    assertThat(written).hasSize(1);
  }

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

  @Test
  void shouldClearTheGpuWhenTheDriverGivesTheAllClear() {
    log(
        1,
        10,
        "NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x1 (GPU Reset Required)"
            + " to 0x0 (None)");
    assertThat(written).isEmpty();
    assertThat(cleared)
        .singleElement()
        .satisfies(
            clearance -> {
              assertThat(clearance.componentType()).isEqualTo(ComponentType.GPU);
              assertThat(clearance.componentId()).isEqualTo("0000:3b:00");
              assertThat(clearance.codes()).isEmpty();
              assertThat(clearance.by()).isEqualTo("driver");
            });
  }

  @Test
  void shouldWriteNothingForWhatIsIgnored() {
    log(1, 0, "NVRM: Xid (PCI:0000:3b:00): 45, pid=7, name=python, Ch 8");
    assertThat(written).isEmpty();
  }

  @Test
  void shouldNameTheSwitchAndTheNic() {
    log(1, 0, "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 48 LTSSM Fault Up");
    assertThat(written.getLast().fault().componentType()).isEqualTo(ComponentType.NVSWITCH);
    assertThat(written.getLast().fault().code()).isEqualTo("SXID-20034");
    log(
        2,
        0,
        "mlx5_core 0000:d2:00.0: poll_health:825: device's health compromised - reached miss"
            + " count");
    assertThat(written.getLast().fault().componentType()).isEqualTo(ComponentType.NIC);
    assertThat(written.getLast().fault().code()).isEqualTo("MLX5-HEALTH-LOST");
    assertThat(written.getLast().name()).isEqualTo("node-1.0000-d2-00.mlx5-health-lost");
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
  void shouldAskTheKubeletWhereAPodDoesNotTellWhatItHolds() throws IOException {
    readGpus();
    holder("silent", false);
    holder("telling", false, "MIG-c");
    Files.writeString(
        directory.resolve("kubelet"),
        """
        {"Data":{"PodDeviceEntries":[
          {"PodUID":"silent-uid","ResourceName":"nvidia.com/mig-1g.10gb","DeviceIDs":{"-1":["MIG-b"]}},
          {"PodUID":"telling-uid","ResourceName":"nvidia.com/mig-1g.10gb","DeviceIDs":{"-1":["MIG-b"]}},
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
  void shouldNameNobodyWhereAGpuIsSharedInTime() {
    readGpus();
    holder("one", false, "GPU-4b");
    holder("other", false, "GPU-4b");
    log(1, 0, "NVRM: Xid (PCI:0000:4b:00): 43, Ch 8");
    assertThat(written.getLast().victim()).isEqualTo(AffectedPod.UNKNOWN);
  }

  /** A card of two ports, and one of one. */
  private void readNics() {
    nics =
        new NicNames(
            List.of(
                new NicNames.Port("mlx5_0/1", "mlx5_0", "0000:3b:00.0", Set.of("ens1f0np0")),
                new NicNames.Port("mlx5_1/1", "mlx5_1", "0000:3b:00.1", Set.of("ens1f1np1")),
                new NicNames.Port("mlx5_2/1", "mlx5_2", "0000:d2:00.0", Set.of("ib2"))));
  }

  private List<String> names() {
    return written.stream().map(FaultObservation::name).toList();
  }

  @Test
  void shouldNameThePortsOfACardWhoseFirmwareHasFailed() {
    readNics();
    log(
        1,
        0,
        "mlx5_core 0000:d2:00.0: poll_health:825: device's health compromised - reached miss"
            + " count.");
    assertThat(names()).containsExactly("node-1.mlx5-2-1.mlx5-health-lost");
    assertThat(written.getFirst().fault().componentType()).isEqualTo(ComponentType.NIC);
    assertThat(written.getFirst().fault().componentId()).isEqualTo("mlx5_2/1");
    written.clear();
    log(2, 0, "mlx5_core 0000:3b:00.1: poll_health:840:(pid 0): Fatal error 3 detected");
    assertThat(names())
        .containsExactly("node-1.mlx5-0-1.mlx5-fatal-error", "node-1.mlx5-1-1.mlx5-fatal-error");
    assertThat(written).allMatch(s -> s.fault().fence() == FenceGuidance.ALWAYS);
  }

  @Test
  void shouldTellEachPortWhereBothFunctionsOfACardTellOfIt() {
    readNics();
    var line =
        "mlx5_core 0000:3b:00.%d: print_health_info:431:(pid 0): Health issue observed, firmware"
            + " internal error, severity(3) ERROR:";
    log(1, 0, line.formatted(0));
    log(2, 1, line.formatted(1));
    assertThat(written).hasSize(4).allMatch(s -> s.fault().fence() == FenceGuidance.THRESHOLD);
  }

  @Test
  void shouldNameThePortThatALineIsAbout() {
    readNics();
    log(1, 0, "mlx5_core 0000:3b:00.1 ens1f1np1: TX timeout detected");
    log(2, 1, "NETDEV WATCHDOG: ens1f1np1 (mlx5_core): transmit queue 12 timed out");
    log(
        3,
        2,
        "mlx5_core 0000:3b:00.0: Port module event[error]: module 0, Cable error, High"
            + " Temperature");
    assertThat(names())
        .containsExactly(
            "node-1.mlx5-1-1.mlx5-transmit-timeout",
            "node-1.mlx5-1-1.mlx5-transmit-timeout",
            "node-1.mlx5-0-1.mlx5-high-temperature");
    assertThat(written).allMatch(s -> s.fault().fence() == FenceGuidance.THRESHOLD);
  }

  @Test
  void shouldLeaveTheStateOfALinkToThePortThatIsRead() {
    readNics();
    var down = "mlx5_core 0000:3b:00.%d ens1f0np0: Link down";
    log(1, 0, down.formatted(0));
    assertThat(names()).containsExactly("node-1.mlx5-0-1.mlx5-link-down");
    assertThat(fence()).isEqualTo(FenceGuidance.NEVER);
    // Of a function that no one reads, a virtual one say, the log alone says.
    log(2, 1, down.formatted(2));
    assertThat(names().getLast()).isEqualTo("node-1.0000-3b-00.mlx5-link-down");
    assertThat(fence()).isEqualTo(FenceGuidance.THRESHOLD);
  }

  @Test
  void shouldWriteTheOtherPortWhenTheFirstWasWrittenAndItFailed() {
    readNics();
    var line = "mlx5_core 0000:3b:00.1: poll_health:840:(pid 0): Fatal error 3 detected";
    refused = "node-1.mlx5-1-1.mlx5-fatal-error";
    assertThatThrownBy(() -> log(1, 0, line)).isInstanceOf(IllegalStateException.class);
    refused = "";
    log(1, 0, line);
    assertThat(Set.copyOf(names()))
        .containsExactlyInAnyOrder(
            "node-1.mlx5-0-1.mlx5-fatal-error", "node-1.mlx5-1-1.mlx5-fatal-error");
  }

  @Test
  void shouldWriteItsMemoryAtOnceForNewsAndSeldomInAStorm() throws IOException {
    log(1, 0, exception(1));
    var file = directory.resolve("judge");
    var first = Files.readString(file);
    for (int i = 2; i < 100; i++) {
      log(i, 1, exception(1));
    }
    assertThat(Files.readString(file)).isEqualTo(first);
    now = now.plusSeconds(6);
    log(100, 2, exception(1));
    assertThat(Files.readString(file)).isNotEqualTo(first);
    log(101, 3, exception(1));
    sink.close();
    assertThat(
            new JudgeFile(new StateFolder(directory, AgentClient.json()))
                .read()
                .orElseThrow()
                .sequence())
        .isEqualTo(101);
  }
}
