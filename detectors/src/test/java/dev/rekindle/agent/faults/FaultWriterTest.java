package dev.rekindle.agent.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.agent.Crud;
import dev.rekindle.agent.telemetry.AgentMetrics;
import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.NodeFaultStatus.Incident;
import dev.rekindle.api.NodeFaultStatus.State;
import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.fault.FaultName;
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
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FaultWriterTest {
  private static final String BUS =
      "NVRM: Xid (PCI:0000:3B:00): 79, pid=7, GPU has fallen off the bus.";
  private static final String CLEAR =
      "NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x1 (GPU Reset Required)"
          + " to 0x0 (None)";
  private static final Boot BOOT = new Boot("boot-1", Instant.parse("2026-01-01T00:00:00Z"));
  private static final Boot NEXT_BOOT = new Boot("boot-2", Instant.parse("2026-01-02T00:00:00Z"));

  @TempDir Path directory;
  private final Crud crud = new Crud();
  private Instant now = Instant.parse("2026-01-01T01:00:00Z");
  private String nodeUid = "";
  private FaultWriter writer = newWriter();

  private FaultWriter newWriter() {
    return new FaultWriter(
        new ApiFaults(crud.client),
        () -> now,
        new AgentMetrics(new PrometheusRegistry()),
        () -> nodeUid);
  }

  @AfterEach
  void close() {
    crud.close();
  }

  private boolean log(Boot boot, long sequence, String text) {
    var kmsg = new KmsgRecord(0, 4, sequence, sequence * 1_000_000, text);
    return sink(boot).accept(kmsg, boot.timeOf(kmsg));
  }

  /** A sink that remembers nothing of records before. */
  private FaultSink sink(Boot boot) {
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

  private NodeFault stored(String name) {
    var fault = crud.client.resources(NodeFault.class).withName(name).get();
    assertThat(fault).as(name).isNotNull();
    return fault;
  }

  private NodeFaultStatus status(String name) {
    return stored(name).getStatus();
  }

  @Test
  void shouldCarryEverythingInSpecWhenFaultIsSeenFirst() {
    assertThat(log(BOOT, 5, BUS)).isTrue();
    var spec = stored("node-1.0000-3b-00.xid-79").getSpec();
    assertThat(spec.node()).isEqualTo("node-1");
    assertThat(spec.componentType()).isEqualTo(ComponentType.GPU);
    assertThat(spec.componentId()).isEqualTo("0000:3b:00");
    assertThat(spec.code()).isEqualTo("XID-79");
    assertThat(spec.detector()).isEqualTo("kmsg");
    assertThat(spec.fence()).isEqualTo(FenceGuidance.ALWAYS);
    assertThat(spec.action()).isEqualTo("reboot_node");
    assertThat(spec.bootId()).isEqualTo("boot-1");
    assertThat(spec.firstSeen()).isEqualTo(Instant.parse("2026-01-01T00:00:05Z"));
    assertThat(spec.evidence()).isEqualTo(BUS);
    assertThat(status("node-1.0000-3b-00.xid-79"))
        .isEqualTo(
            new NodeFaultStatus(
                State.ACTIVE,
                1,
                Instant.parse("2026-01-01T00:00:05Z"),
                "boot-1",
                5,
                BUS,
                List.of(incident("boot-1", 5, 5, 1)),
                "",
                null));
  }

  @Test
  void shouldCountAndNotMultiplyWhenFaultRepeats() {
    log(BOOT, 5, BUS);
    now = now.plus(FaultWriter.REPEAT);
    log(BOOT, 6, BUS.replace("pid=7, ", ""));
    assertThat(crud.client.resources(NodeFault.class).list().getItems()).hasSize(1);
    var status = status("node-1.0000-3b-00.xid-79");
    assertThat(status.count()).isEqualTo(2);
    assertThat(status.lastSequence()).isEqualTo(6);
    assertThat(status.lastEvidence()).doesNotContain("pid");
    assertThat(stored("node-1.0000-3b-00.xid-79").getSpec().evidence()).contains("pid=7");
  }

  @Test
  void shouldCountOnceWhenTheLogIsReplayedByANewAgent() {
    log(BOOT, 5, BUS);
    writer = newWriter();
    log(BOOT, 5, BUS);
    assertThat(status("node-1.0000-3b-00.xid-79").count()).isEqualTo(1);
    writer = newWriter();
    log(BOOT, 6, BUS);
    assertThat(status("node-1.0000-3b-00.xid-79").count()).isEqualTo(2);
  }

  @Test
  void shouldBeActiveAgainWhenFaultComesBackInAnotherBootOrAfterAClear() {
    log(BOOT, 50, BUS);
    var cleared = stored("node-1.0000-3b-00.xid-79");
    cleared.setStatus(
        new NodeFaultStatus(
            State.CLEARED, 1, now, "boot-1", 50, "gone", List.of(), "probe", BOOT.time()));
    crud.client.resource(cleared).updateStatus();
    writer = newWriter();
    log(NEXT_BOOT, 3, BUS);
    var status = status("node-1.0000-3b-00.xid-79");
    assertThat(status.state()).isEqualTo(State.ACTIVE);
    assertThat(status.count()).isEqualTo(2);
    assertThat(status.bootId()).isEqualTo("boot-2");
    assertThat(status.lastSequence()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({
    "uid-1, uid-2, boot-2, 1, uid-2",
    "uid-1, uid-2, boot-1, 2, uid-1",
    "uid-1, uid-1, boot-2, 2, uid-1",
    "'', uid-2, boot-2, 2, ''",
    "uid-1, '', boot-2, 2, uid-1",
  })
  void shouldBeginAnewOnAnotherNodeOfTheNameAndInAnotherBoot(
      String before, String after, String boot, long count, String uid) {
    nodeUid = before;
    log(BOOT, 5, BUS);
    assertThat(stored("node-1.0000-3b-00.xid-79").getSpec().nodeUid()).isEqualTo(before);
    nodeUid = after;
    writer = newWriter();
    var next = boot.equals("boot-1") ? BOOT : NEXT_BOOT;
    log(next, 9, BUS);

    var fault = stored("node-1.0000-3b-00.xid-79");
    assertThat(fault.getSpec().nodeUid()).isEqualTo(uid);
    assertThat(fault.getStatus().count()).isEqualTo(count);
    // Four seconds apart in one boot is one burst.
    assertThat(fault.getStatus().incidents()).hasSize(boot.equals("boot-1") ? 1 : (int) count);
    assertThat(fault.getStatus().bootId()).isEqualTo(boot);
  }

  @Test
  void shouldWriteOnceASecondAndLoseNoCountWhenThereIsAStorm() {
    var line = "NVRM: Xid (PCI:0000:3b:00): 43, pid=7, name=python, Ch 00000008";
    for (int i = 1; i <= 500; i++) {
      log(BOOT, i, line);
    }
    assertThat(crud.requests).hasSizeLessThan(10);
    assertThat(status("node-1.0000-3b-00.xid-43").count()).isEqualTo(1);
    writer.flush();
    assertThat(status("node-1.0000-3b-00.xid-43").count()).as("not yet").isEqualTo(1);
    now = now.plus(FaultWriter.REPEAT);
    writer.flush();
    assertThat(status("node-1.0000-3b-00.xid-43").count()).isEqualTo(500);
    assertThat(status("node-1.0000-3b-00.xid-43").lastSequence()).isEqualTo(500);
  }

  @Test
  void shouldNotHoldUpAnotherFaultWhenThereIsAStorm() {
    for (int i = 1; i <= 100; i++) {
      log(BOOT, i, "NVRM: Xid (PCI:0000:3b:00): 43, Ch 00000008");
    }
    log(BOOT, 101, BUS);
    assertThat(status("node-1.0000-3b-00.xid-79").count()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "13, pid=7, Graphics Exception|xid-13|THRESHOLD|restart_job",
        "43, pid=7, Ch 8|xid-43|NEVER|restart_job",
        "999, brand new|xid-999|THRESHOLD|investigate",
        "154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot"
            + " Required)|xid-154|ALWAYS|reboot_node",
        "154, something else|xid-154|THRESHOLD|investigate",
        "109, Ch 8|xid-109|THRESHOLD|reset_gpu",
      })
  void shouldTellFenceAndActionWhenCodeIsAnother(
      String rest, String code, FenceGuidance fence, String action) {
    log(BOOT, 1, "NVRM: Xid (PCI:0000:3b:00): " + rest);
    var spec = stored("node-1.0000-3b-00." + code).getSpec();
    assertThat(spec.fence()).isEqualTo(fence);
    assertThat(spec.action()).isEqualTo(action);
  }

  @Test
  void shouldReportNothingWhenRecordIsNoFaultOrToBeIgnored() {
    assertThat(log(BOOT, 1, "usb 1-1: new device")).isFalse();
    log(BOOT, 2, "NVRM: Xid (PCI:0000:3b:00): 45, Ch 8");
    log(BOOT, 3, CLEAR);
    assertThat(crud.client.resources(NodeFault.class).list().getItems()).isEmpty();
  }

  @Test
  void shouldClearEveryFaultOfTheGpuWhenTheDriverGivesTheAllClear() {
    log(BOOT, 1, BUS);
    log(BOOT, 2, "NVRM: Xid (PCI:0000:3b:00): 95, x");
    log(BOOT, 3, BUS.replace("3B", "3c"));
    log(BOOT, 4, CLEAR);
    assertThat(status("node-1.0000-3b-00.xid-79").state()).isEqualTo(State.CLEARED);
    assertThat(status("node-1.0000-3b-00.xid-79").clearedBy()).isEqualTo("driver");
    assertThat(status("node-1.0000-3b-00.xid-95").state()).isEqualTo(State.CLEARED);
    assertThat(status("node-1.0000-3c-00.xid-79").state()).isEqualTo(State.ACTIVE);
    log(BOOT, 5, BUS);
    assertThat(status("node-1.0000-3b-00.xid-79").state()).isEqualTo(State.ACTIVE);
  }

  @Test
  void shouldThrowAndCountOnceWhenServerRefusesForAWhile() {
    crud.refuse = request -> request.contains("/status") ? 503 : 0;
    assertThatThrownBy(() -> log(BOOT, 5, BUS)).isInstanceOf(KubernetesClientException.class);
    crud.refuse = request -> 503;
    assertThatThrownBy(() -> log(BOOT, 5, BUS)).isInstanceOf(KubernetesClientException.class);
    crud.refuse = request -> 0;
    log(BOOT, 5, BUS);
    assertThat(status("node-1.0000-3b-00.xid-79").count()).isEqualTo(1);
  }

  @Test
  void shouldCountARepeatOnceWhenItsWriteFailedBefore() {
    log(BOOT, 5, BUS);
    now = now.plus(FaultWriter.REPEAT);
    crud.refuse = request -> 503;
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> log(BOOT, 6, BUS)).isInstanceOf(KubernetesClientException.class);
    }
    crud.refuse = request -> 0;
    log(BOOT, 6, BUS);
    assertThat(status("node-1.0000-3b-00.xid-79").count()).isEqualTo(2);
  }

  /**
   * Another's agent may have the name, or a policy be wrong: what comes after is read all the same.
   */
  @ParameterizedTest
  @ValueSource(ints = {403, 405, 415})
  void shouldSetAsideWhatMayNotBeWrittenAndReadOn(int refusal) {
    crud.refuse = request -> request.contains("nodefaults") ? refusal : 0;
    for (int i = 5; i < 10; i++) {
      assertThat(log(BOOT, i, BUS)).isTrue();
    }
    assertThat(writer.aside()).isEqualTo(1);
    crud.refuse = request -> 0;
    assertThat(log(BOOT, 10, BUS.replace("3B", "3c"))).isTrue();
    assertThat(status("node-1.0000-3c-00.xid-79").count()).isEqualTo(1);

    now = now.plusSeconds(2);
    writer.flush();
    assertThat(status("node-1.0000-3b-00.xid-79").count()).as("what was set aside").isEqualTo(5);
    assertThat(status("node-1.0000-3b-00.xid-79").lastSequence()).isEqualTo(9);
    assertThat(writer.aside()).isZero();
  }

  @Test
  void shouldTryWhatIsSetAsideMoreAndMoreSeldomButNeverGiveUp() {
    crud.refuse = request -> 403;
    log(BOOT, 5, BUS);
    crud.requests.clear();
    for (int second = 0; second < 600; second++) {
      now = now.plusSeconds(1);
      log(BOOT, 6 + second, BUS);
      writer.flush();
    }
    assertThat(crud.requests).hasSizeBetween(10, 40);
    crud.refuse = request -> 0;
    now = now.plusSeconds(60);
    writer.flush();
    assertThat(status("node-1.0000-3b-00.xid-79").count()).isEqualTo(601);
  }

  /** While the API server is in trouble the kernel's own buffer is the queue, up to a point. */
  @ParameterizedTest
  @ValueSource(ints = {401, 404, 409, 429, 500, 503})
  void shouldOfferAgainForAWhileAndThenReadOn(int trouble) {
    crud.refuse = request -> request.contains("nodefaults") ? trouble : 0;
    assertThatThrownBy(() -> log(BOOT, 5, BUS)).isInstanceOf(KubernetesClientException.class);
    now = now.plus(Duration.ofSeconds(29));
    assertThatThrownBy(() -> log(BOOT, 5, BUS)).isInstanceOf(KubernetesClientException.class);
    now = now.plus(Duration.ofSeconds(1));
    assertThat(log(BOOT, 5, BUS)).isTrue();
    crud.refuse = request -> 0;
    now = now.plusSeconds(2);
    writer.flush();
    assertThat(status("node-1.0000-3b-00.xid-79").count()).isEqualTo(1);
  }

  @Test
  void shouldSetAsideAClearanceThatIsRefusedAndClearLater() {
    log(BOOT, 1, BUS);
    crud.refuse = request -> 403;
    clear(10);
    assertThat(writer.aside()).isEqualTo(1);
    now = now.plusSeconds(30);
    writer.flush();
    assertThat(writer.aside()).as("still refused").isEqualTo(1);
    crud.refuse = request -> 0;
    now = now.plusSeconds(30);
    writer.flush();
    assertThat(status("node-1.0000-3b-00.xid-79").state()).isEqualTo(State.CLEARED);
    assertThat(writer.aside()).isZero();
  }

  @Test
  void shouldNotLetAFaultStandThatWasClearedWhileItWasSetAside() {
    crud.refuse = request -> 403;
    log(BOOT, 1, BUS);
    crud.refuse = request -> 0;
    clear(10);
    now = now.plus(Duration.ofMinutes(2));
    writer.flush();
    assertThat(crud.client.resources(NodeFault.class).list().getItems()).isEmpty();
    assertThat(writer.aside()).isZero();
  }

  /** Lines can be forged, and each made-up address is another object. */
  @Test
  void shouldWriteSoManyDifferentFaultsOfANodeAndMoreOnlyIfTheyFence() {
    int room = 700;
    for (int i = 0; i < room; i++) {
      write(i, FenceGuidance.NEVER);
    }
    assertThat(crud.client.resources(NodeFault.class).list().getItems()).hasSize(512);
    for (int i = 0; i < room; i++) {
      write(room + i, FenceGuidance.ALWAYS);
    }
    assertThat(crud.client.resources(NodeFault.class).list().getItems()).hasSize(512 + 128);
    write(0, FenceGuidance.ALWAYS);
    assertThat(stored("node-1.dev-0.x-1").getSpec().fence()).isEqualTo(FenceGuidance.ALWAYS);
  }

  private void write(int device, FenceGuidance fence) {
    writer.write(
        FaultObservation.of(
            new NodeFaultSpec(
                "node-1",
                ComponentType.GPU,
                "dev-" + device,
                "X-1",
                "kmsg",
                fence,
                "",
                "boot-1",
                now,
                "made up"),
            FaultObservation.NO_SEQUENCE,
            now));
  }

  @Test
  void shouldDropAndGoOnWhenServerRefusesTheObjectForGood() {
    crud.refuse = request -> request.startsWith("POST") ? 422 : 0;
    assertThat(log(BOOT, 5, BUS)).isTrue();
    assertThat(crud.client.resources(NodeFault.class).list().getItems()).isEmpty();
  }

  private static Incident incident(String boot, long first, long last, long lines) {
    return new Incident(
        BOOT.time().plusSeconds(first), BOOT.time().plusSeconds(last), lines, "", "", "", "", boot);
  }

  private FaultObservation observation(
      long sequence, long second, FenceGuidance fence, String unit) {
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

  private void clear(long second, String... codes) {
    writer.clear(
        new FaultResolution(
            "node-1",
            ComponentType.GPU,
            "0000:3b:00",
            Set.of(codes),
            "driver",
            BOOT.time().plusSeconds(second)));
  }

  private static final String EXCEPTION = "node-1.0000-3b-00.xid-13";

  @Test
  void shouldTellOneIncidentPerBurstAndTheNewestTwelveOnly() {
    for (long burst = 0; burst < 14; burst++) {
      now = now.plus(FaultWriter.REPEAT);
      // The silence within a burst is just bearable, and just too long between two.
      writer.write(observation(2 * burst, burst * 361, FenceGuidance.NEVER, ""));
      writer.write(observation(2 * burst + 1, burst * 361 + 180, FenceGuidance.NEVER, "GPC 1"));
    }
    now = now.plus(FaultWriter.REPEAT);
    writer.flush();
    assertThat(status(EXCEPTION).count()).isEqualTo(28);
    assertThat(status(EXCEPTION).incidents()).hasSize(12);
    assertThat(status(EXCEPTION).incidents().getLast())
        .isEqualTo(
            new Incident(
                BOOT.time().plusSeconds(13 * 361),
                BOOT.time().plusSeconds(13 * 361 + 180),
                2,
                "GPC 1",
                "team",
                "pod-27",
                "uid",
                "boot-1"));
  }

  @Test
  void shouldTellAllIncidentsWhenAnOldLogIsReadInOneSecond() {
    for (long burst = 0; burst < 3; burst++) {
      writer.write(observation(burst, burst * 1000, FenceGuidance.NEVER, ""));
    }
    now = now.plus(FaultWriter.REPEAT);
    writer.flush();
    assertThat(status(EXCEPTION).incidents())
        .containsExactly(
            incident("boot-1", 0, 0, 1),
            incident("boot-1", 1000, 1000, 1),
            incident("boot-1", 2000, 2000, 1));
  }

  @Test
  void shouldCountNothingTwiceWhenTheLogIsReplayedBeyondWhatWasWritten() {
    for (int i = 1; i <= 3; i++) {
      writer.write(observation(i, i, FenceGuidance.NEVER, ""));
    }
    now = now.plus(FaultWriter.REPEAT);
    writer.flush();
    writer = newWriter();
    for (int i = 1; i <= 5; i++) {
      writer.write(observation(i, i, FenceGuidance.NEVER, ""));
    }
    now = now.plus(FaultWriter.REPEAT);
    writer.flush();
    assertThat(status(EXCEPTION).count()).isEqualTo(5);
    assertThat(status(EXCEPTION).incidents()).containsExactly(incident("boot-1", 1, 5, 5));
  }

  @Test
  void shouldCountEveryObservationWhenTheDetectorReadsNoLog() {
    writer.write(observation(7, 1, FenceGuidance.NEVER, ""));
    for (int i = 2; i <= 4; i++) {
      now = now.plus(FaultWriter.REPEAT);
      writer.write(observation(FaultObservation.NO_SEQUENCE, i, FenceGuidance.NEVER, ""));
    }
    assertThat(status(EXCEPTION).count()).isEqualTo(4);
    assertThat(status(EXCEPTION).lastSequence()).isEqualTo(7);
  }

  @Test
  void shouldFenceAtOnceWhenAThresholdIsReachedWithinTheSecond() {
    writer.write(observation(1, 1, FenceGuidance.NEVER, ""));
    writer.write(observation(2, 2, FenceGuidance.NEVER, ""));
    writer.write(observation(3, 3, FenceGuidance.ALWAYS, ""));
    var spec = stored(EXCEPTION).getSpec();
    assertThat(spec.fence()).isEqualTo(FenceGuidance.ALWAYS);
    assertThat(spec.action()).isEqualTo("investigate");
    assertThat(spec.evidence()).isEqualTo("line 3");
    assertThat(spec.firstSeen()).isEqualTo(BOOT.time().plusSeconds(1));
    assertThat(status(EXCEPTION).count()).isEqualTo(3);
    now = now.plus(FaultWriter.REPEAT);
    writer.write(observation(4, 4, FenceGuidance.NEVER, ""));
    assertThat(stored(EXCEPTION).getSpec().fence()).isEqualTo(FenceGuidance.ALWAYS);
  }

  @Test
  void shouldClearWhatWasSeenBeforeAndNothingElse() {
    log(BOOT, 1, BUS);
    writer.write(observation(2, 2, FenceGuidance.NEVER, ""));
    writer.write(observation(3, 3, FenceGuidance.NEVER, ""));
    log(BOOT, 4, BUS.replace("3B", "3c"));
    log(BOOT, 50, "NVRM: Xid (PCI:0000:3b:00): 95, later");
    clear(10);
    assertThat(status("node-1.0000-3b-00.xid-79").state()).isEqualTo(State.CLEARED);
    assertThat(status("node-1.0000-3b-00.xid-79").clearedBy()).isEqualTo("driver");
    assertThat(status("node-1.0000-3b-00.xid-79").clearedAt())
        .isEqualTo(BOOT.time().plusSeconds(10));
    assertThat(status(EXCEPTION).state()).isEqualTo(State.CLEARED);
    assertThat(status(EXCEPTION).count()).as("what waited is counted").isEqualTo(2);
    assertThat(status("node-1.0000-3c-00.xid-79").state()).isEqualTo(State.ACTIVE);
    assertThat(status("node-1.0000-3b-00.xid-95").state()).as("later").isEqualTo(State.ACTIVE);
    now = now.plus(FaultWriter.REPEAT);
    writer.flush();
    assertThat(status(EXCEPTION).state()).isEqualTo(State.CLEARED);
  }

  @Test
  void shouldClearOnlyTheCodesNamedAndTwiceAsWellAsOnce() {
    log(BOOT, 1, BUS);
    log(BOOT, 2, "NVRM: Xid (PCI:0000:3b:00): 95, x");
    clear(10, "XID-79");
    clear(20, "XID-79");
    assertThat(status("node-1.0000-3b-00.xid-79").clearedAt())
        .isEqualTo(BOOT.time().plusSeconds(10));
    assertThat(status("node-1.0000-3b-00.xid-95").state()).isEqualTo(State.ACTIVE);
  }

  @Test
  void shouldStandAgainAndNotFenceWhenAClearedFaultComesBackLighter() {
    writer.write(observation(1, 1, FenceGuidance.ALWAYS, ""));
    clear(10);
    writer.write(observation(2, 20, FenceGuidance.NEVER, ""));
    assertThat(status(EXCEPTION).state()).isEqualTo(State.ACTIVE);
    assertThat(status(EXCEPTION).clearedBy()).isEmpty();
    assertThat(stored(EXCEPTION).getSpec().fence()).isEqualTo(FenceGuidance.NEVER);
  }

  @Test
  void shouldStayClearedWhenWhatIsWrittenWasSeenBefore() {
    writer.write(observation(1, 1, FenceGuidance.ALWAYS, ""));
    clear(10);
    writer.write(observation(2, 9, FenceGuidance.ALWAYS, ""));
    assertThat(status(EXCEPTION).state()).isEqualTo(State.CLEARED);
    assertThat(status(EXCEPTION).count()).isEqualTo(2);
  }

  @Test
  void shouldThrowAndClearLaterWhenServerRefusesForAWhile() {
    log(BOOT, 1, BUS);
    crud.refuse = request -> request.startsWith("GET") ? 503 : 0;
    assertThatThrownBy(() -> clear(10)).isInstanceOf(KubernetesClientException.class);
    crud.refuse = request -> request.startsWith("PUT") ? 409 : 0;
    assertThatThrownBy(() -> clear(10)).isInstanceOf(KubernetesClientException.class);
    crud.refuse = request -> 0;
    clear(10);
    assertThat(status("node-1.0000-3b-00.xid-79").state()).isEqualTo(State.CLEARED);
  }

  @Test
  void shouldLabelEveryNodeValidlyAndApart() {
    var nodes = List.of("n", "n".repeat(63), "n".repeat(64), "n".repeat(65), "n".repeat(253));
    assertThat(nodes.stream().map(FaultName::label))
        .doesNotHaveDuplicates()
        .allMatch(l -> l.matches("[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?"));
  }

  @Test
  void shouldNameEveryFaultApartAndValidlyWhenNodesAndComponentsDiffer() {
    var names = new ArrayList<String>();
    for (var node :
        new String[] {"node-1", "node-10", "node-1.xid", "n".repeat(253), "m".repeat(253)}) {
      for (var pci : new String[] {"0000:3b:00", "0000:3c:00", ""}) {
        for (var code : new String[] {"XID-7", "XID-79"}) {
          var kmsg =
              new NodeFaultSpec(
                  node, ComponentType.GPU, pci, code, "kmsg", FenceGuidance.NEVER, "", "", now, "");
          names.add(FaultObservation.of(kmsg, 1, now).name());
        }
      }
    }
    assertThat(names).doesNotHaveDuplicates();
    assertThat(names)
        .allMatch(
            n ->
                n.length() <= 253
                    && n.matches(
                        "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"));
  }
}
