package dev.rekindle.agent.faults;

import dev.rekindle.agent.app.AgentClient;
import dev.rekindle.agent.telemetry.AgentMetrics;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
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
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.rdma.NicNames;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.rules.Rules;
import dev.rekindle.detect.state.StateFolder;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.xid.XidCatalog;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A sink of kernel records on a node, and what it reports. */
abstract class FaultSinkFixture {
  static final Boot BOOT = new Boot("boot-1", Instant.parse("2026-01-01T00:00:00Z"));
  @TempDir Path directory;
  final List<FaultObservation> written = new ArrayList<>();
  final List<FaultResolution> cleared = new ArrayList<>();
  final List<TrainingPod> pods = new ArrayList<>();
  boolean away;
  String refused = "";
  NicNames nics = NicNames.NONE;
  GpuNames gpus = GpuNames.NONE;
  Instant now = Instant.parse("2026-01-01T01:00:00Z");

  /** How far the clock of the node is ahead. */
  Duration ahead = Duration.ZERO;

  FaultSink sink;

  @BeforeEach
  void start() {
    sink = start(BOOT);
  }

  FaultSink start(Boot boot) {
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

  void log(long sequence, long second, String text) {
    sink.accept(
        new KmsgRecord(0, 4, sequence, second * 1_000_000, text),
        BOOT.time().plusSeconds(second).plus(ahead));
  }

  static String exception(int gpc) {
    return "NVRM: Xid (PCI:0000:3b:00): 13, pid=7, name=python, Graphics SM Warp Exception on (GPC "
        + gpc
        + ", TPC 2, SM 0): Out Of Range Address";
  }

  FenceGuidance fence() {
    return written.getLast().fault().fence();
  }
}
