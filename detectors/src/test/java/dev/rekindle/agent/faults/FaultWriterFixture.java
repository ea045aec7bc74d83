package dev.rekindle.agent.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.Crud;
import dev.rekindle.agent.telemetry.AgentMetrics;
import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.NodeFaultStatus.Incident;
import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultReports;
import dev.rekindle.detect.fault.FaultResolution;
import dev.rekindle.detect.fault.FaultWriter;
import dev.rekindle.detect.freeze.ContainerOfProcess;
import dev.rekindle.detect.kernelfault.Components;
import dev.rekindle.detect.kernelfault.FaultSink;
import dev.rekindle.detect.kernelfault.JudgeMemory;
import dev.rekindle.detect.kernelfault.JudgeStore;
import dev.rekindle.detect.kmsg.Boot;
import dev.rekindle.detect.kmsg.KmsgRecord;
import dev.rekindle.detect.node.KubeletDevices;
import dev.rekindle.detect.nvml.GpuNames;
import dev.rekindle.detect.rdma.NicNames;
import dev.rekindle.detect.rules.History;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.rules.Rules;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.xid.XidCatalog;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A writer of faults to an API server in memory, and a sink of kernel records before it. */
abstract class FaultWriterFixture {
  static final String BUS = "NVRM: Xid (PCI:0000:3B:00): 79, pid=7, GPU has fallen off the bus.";

  static final String CLEAR =
      "NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x1 (GPU Reset Required)"
          + " to 0x0 (None)";

  static final Boot BOOT = new Boot("boot-1", Instant.parse("2026-01-01T00:00:00Z"));
  @TempDir Path directory;
  final Crud crud = new Crud();
  Instant now = Instant.parse("2026-01-01T01:00:00Z");

  /** How far the clock of the node is ahead. */
  Duration ahead = Duration.ZERO;

  String nodeUid = "";
  FaultWriter writer = newWriter();

  FaultWriter newWriter() {
    return new FaultWriter(
        new ApiFaults(crud.client),
        () -> now,
        () -> now.plus(ahead),
        new AgentMetrics(new PrometheusRegistry()),
        () -> nodeUid);
  }

  @AfterEach
  void close() {
    crud.close();
  }

  boolean log(Boot boot, long sequence, String text) {
    return accept(sink(boot), boot, sequence, text);
  }

  /** Logs it on a node whose clock is ahead by {@link #ahead}. */
  boolean logAhead(long sequence, String text) {
    return log(new Boot("boot-1", () -> BOOT.time().plus(ahead)), sequence, text);
  }

  /** A record of the first boot for a sink that remembers. */
  static void accept(FaultSink sink, long sequence, String text) {
    accept(sink, BOOT, sequence, text);
  }

  private static boolean accept(FaultSink sink, Boot boot, long sequence, String text) {
    var kmsg = new KmsgRecord(0, 4, sequence, sequence * 1_000_000, text);
    return sink.accept(kmsg, boot.timeOf(kmsg));
  }

  /** A sink that remembers nothing of records before. */
  FaultSink sink(Boot boot) {
    return new FaultSink(
        "node-1",
        boot,
        () -> new Judge(Rules.shipped(), XidCatalog.load(), SxidCatalog.load()),
        new JudgeMemory(
            new JudgeStore() {
              @Override
              public Optional<Kept> read() {
                return Optional.empty();
              }

              @Override
              public void write(long sequence, History history) {}
            },
            boot,
            () -> now),
        new PodResolver(
            new ContainerOfProcess(directory),
            List::of,
            () -> GpuNames.NONE,
            new KubeletDevices(directory.resolve("none")),
            pod -> pod.job()),
        Components.of(() -> NicNames.NONE),
        new FaultReports() {
          @Override
          public void saw(FaultObservation observation) {
            writer.write(observation);
          }

          @Override
          public void gone(FaultResolution clearance) {
            writer.clear(clearance);
          }
        },
        new AgentMetrics(new PrometheusRegistry()));
  }

  NodeFault stored(String name) {
    var fault = crud.client.resources(NodeFault.class).withName(name).get();
    assertThat(fault).as(name).isNotNull();
    return fault;
  }

  NodeFaultStatus status(String name) {
    return stored(name).getStatus();
  }

  static Incident incident(String boot, long first, long last, long lines) {
    return new Incident(
        BOOT.time().plusSeconds(first), BOOT.time().plusSeconds(last), lines, "", "", "", "", boot);
  }

  FaultObservation observation(long sequence, long second, FenceGuidance fence, String unit) {
    return new FaultObservation(
        new NodeFaultSpec(
            "node-1",
            ComponentType.GPU,
            "0000:3b:00",
            "XID-13",
            "kmsg",
            fence,
            fence == FenceGuidance.ALWAYS ? "investigate" : "restart_job",
            "boot-1",
            BOOT.time().plusSeconds(second),
            "line " + sequence),
        sequence,
        BOOT.time().plusSeconds(second),
        unit,
        unit.isEmpty() ? AffectedPod.UNKNOWN : new AffectedPod("team", "pod-" + sequence, "uid"));
  }

  void clear(long second, String... codes) {
    writer.clear(
        new FaultResolution(
            "node-1",
            ComponentType.GPU,
            "0000:3b:00",
            Set.of(codes),
            "driver",
            BOOT.time().plusSeconds(second)));
  }

  static final String EXCEPTION = "node-1.0000-3b-00.xid-13";
}
