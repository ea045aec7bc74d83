package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.FREE;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.OURS;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.POLICY;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.decide;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.xid31;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.xid79;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.Policies;
import dev.rekindle.controller.diagnosis.NodeSnapshot.Tenant;
import dev.rekindle.controller.diagnosis.NodeSnapshots.Fault;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FaultView.Confidence;
import dev.rekindle.controller.model.Policy;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Witnesses and thresholds of one fault. */
class FaultWitnessesTest extends FaultAssessorFixture {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | Fence",
        "detection: {weighing: {owners: 3}} | NoAction",
        "detection: {weighing: {owners: 2, windowSeconds: 3600, stickySeconds: 0}} | Fence",
        "detection: {incidentGapSeconds: 3600} | Fence",
      })
  void shouldWeighByTheThresholdsOfThePolicyForNodes(String spec, String verdict) {
    FaultView fault = xid31("job-a", "job-b").build();
    // What a tenant's own policy says of thresholds counts for nothing.
    Policy tenants = Policies.ofYaml("detection: {weighing: {owners: 12}}");
    NodeSnapshot s =
        new NodeSnapshot(
            FREE, List.of(fault), List.of(), List.of(new Tenant(job().view(), tenants)));

    assertThat(NodeVerdicts.decide(s, Policies.ofYaml(spec), T0.plusSeconds(7_200)))
        .asString()
        .startsWith(verdict);
  }

  @Test
  void shouldWaitForTheEndOfABurst() {
    Instant last = NOW.minusSeconds(10);
    FaultView fault = xid31("job-a").incident(last, "job-b", "").build();

    assertThat(decide(FREE, List.of(fault), NOW))
        .isEqualTo(new NodeVerdict.NoAction("well", last.plus(POLICY.incidentGap())));
    assertThat(decide(FREE, List.of(fault), last.plus(POLICY.incidentGap())))
        .isInstanceOf(NodeVerdict.Fence.class);
    assertThat(decide(OURS, List.of(fault), NOW))
        .as("what is fenced stays so meanwhile")
        .isInstanceOf(NodeVerdict.NoAction.class);
  }

  @Test
  void shouldBeSurerOfASecondWitness() {
    FaultView kmsg = xid79().build();
    FaultView nvml = xid79().code("NVML-GPU-LOST").detector("nvml").build();
    FaultView elsewhere =
        xid79().code("NVML-GPU-LOST").detector("nvml").component("GPU 0000:4c:00").build();

    assertThat(weights(List.of(kmsg, nvml), List.of()).first())
        .satisfies(w -> assertThat(w.confidence()).isEqualTo(Confidence.HIGH))
        .satisfies(
            w -> assertThat(w.witnesses()).containsExactly("kmsg XID-79", "nvml NVML-GPU-LOST"));
    assertThat(weights(List.of(kmsg, elsewhere), List.of()).first().confidence())
        .as("of another GPU")
        .isEqualTo(Confidence.MEDIUM);
  }

  /** A device plugin and HAMi call a GPU by its UUID, the kernel log by its PCI address. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "true | GPU 0000:3b:00 | GPU-11111111-aaaa-bbbb-cccc-000000000001 | HIGH",
        "true | GPU 0000:3b:00 | gpu-11111111-AAAA-bbbb-cccc-000000000001 | HIGH",
        "true | GPU 0000:3b:00 | GPU-22222222-aaaa-bbbb-cccc-000000000002 | MEDIUM",
        // The agent names it in another fault of the address, or of another address.
        "false | GPU 0000:3b:00 | GPU-11111111-aaaa-bbbb-cccc-000000000001 | HIGH",
        "false | GPU 0000:4c:00 | GPU-11111111-aaaa-bbbb-cccc-000000000001 | MEDIUM",
      })
  void shouldJoinWhatIsSaidOfAGpuByItsAddressAndByItsUuid(
      boolean itself, String component, String uuid, Confidence confidence) {
    FaultView kmsg = xid79().build().withDeviceUuid(itself ? uuid : "");
    FaultView other =
        xid79()
            .code("XID-13")
            .guidance(FenceGuidance.NEVER)
            .component(component)
            .build()
            .withDeviceUuid(itself ? "" : uuid);
    List<String> marks = List.of("device-plugin", "DEVICE-UNHEALTHY", "hami", "HAMI-UNHEALTHY");
    for (int i = 0; i < marks.size(); i += 2) {
      FaultView mark = marked(marks.get(i), marks.get(i + 1));

      var weight = weights(List.of(kmsg, other, mark), List.of()).first();
      assertThat(weight.confidence()).isEqualTo(confidence);
      assertThat(weight.witnesses().contains(marks.get(i) + " " + marks.get(i + 1)))
          .isEqualTo(confidence == Confidence.HIGH);
    }
  }

  private static FaultView marked(String detector, String code) {
    return xid79()
        .code(code)
        .detector(detector)
        .guidance(FenceGuidance.THRESHOLD)
        .component("GPU GPU-11111111-aaaa-bbbb-cccc-000000000001")
        .build();
  }

  /** A plugin marks devices for errors of programs as well, for this very one, maybe. */
  @Test
  void shouldNotBeSurerOfAnErrorThatProgramsCauseBecauseAPluginMarksTheDevice() {
    FaultView fault =
        xid31("job-a", "job-b").build().withDeviceUuid("GPU-11111111-aaaa-bbbb-cccc-000000000001");

    var weight =
        weights(List.of(fault, marked("device-plugin", "DEVICE-UNHEALTHY")), List.of()).first();
    assertThat(weight.fences()).isTrue();
    assertThat(weight.confidence()).isEqualTo(Confidence.MEDIUM);
    assertThat(weight.namespaces()).as("it counts for their quota").containsExactly("team");
  }

  /** After a reboot GPUs may be numbered in another way. */
  @Test
  void shouldNotTakeAGpuForAnotherBecauseItsAddressHasChanged() {
    String uuid = "GPU-11111111-aaaa-bbbb-cccc-000000000001";
    FaultView fault = xid31("job-a", "job-b").build().withDeviceUuid(uuid);
    FaultView before = xid31("job-a").component("GPU 0000:4c:00").build();

    assertThat(weights(List.of(fault, before), List.of()).first().fences())
        .as("a program that met it on another device too")
        .isFalse();
    assertThat(weights(List.of(fault, before.withDeviceUuid(uuid)), List.of()).first().fences())
        .isTrue();
  }

  /** The agent says a line of the kernel log in the name of the port that it reads as well. */
  @Test
  void shouldTakeLogAndPortForTwoWitnessesOfOneIncident() {
    Fault port = xid79().component("NIC mlx5_0/1");
    FaultView firmware = port.code("MLX5-HEALTH-LOST").build();
    FaultView down = port.code("NIC-PORT-DOWN").detector("nic").build();
    FaultView link = port.code("MLX5-LINK-DOWN").guidance(FenceGuidance.NEVER).build();

    assertThat(decide(FREE, List.of(firmware, down, link), NOW))
        .isInstanceOfSatisfying(
            NodeVerdict.Fence.class,
            f -> {
              var weight = Objects.requireNonNull(f.fault().weight());
              assertThat(weight.confidence()).isEqualTo(Confidence.HIGH);
              assertThat(weight.witnesses())
                  .containsExactly("kmsg MLX5-HEALTH-LOST", "nic NIC-PORT-DOWN");
            });
    FaultView flaps =
        port.code("NIC-PORT-FLAPPING").detector("nic").guidance(FenceGuidance.THRESHOLD).build();
    assertThat(decide(FREE, List.of(flaps, link), NOW))
        .as("a link that flaps, seen twice, is still one that flaps")
        .isInstanceOf(NodeVerdict.NoAction.class);
  }

  @Test
  void shouldBeSurerWhereTheSamePartFailsEachTime() {
    FaultView fault =
        xid31()
            .incident(T0, "job-a", "GPC 1 TPC 2")
            .incident(T0.plusSeconds(600), "job-b", "GPC 1 TPC 2")
            .build();
    assertThat(weight(fault).confidence()).isEqualTo(Confidence.HIGH);
  }

  @Test
  void shouldFenceWhatBurstsAgainAndAgainThoughOnlyOneJobIsThere() {
    Fault fault = xid31().code("XID-94");
    for (int i = 0; i < 4; i++) {
      fault = fault.incident(T0.plusSeconds(600L * i), "job-a", "");
    }
    assertThat(weight(fault.build()).fences()).isFalse();
    assertThat(weight(fault.incident(T0.plusSeconds(3_000), "job-a", "").build()).fences())
        .isTrue();
  }
}
