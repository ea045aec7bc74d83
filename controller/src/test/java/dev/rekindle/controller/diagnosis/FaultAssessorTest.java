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
import dev.rekindle.controller.model.FaultView.Incident;
import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Software or hardware: what a fault weighs beside others. */
class FaultAssessorTest {
  @Test
  void shouldTakeAGpuThatHurtsDifferentJobsForBroken() {
    FaultView fault = xid31("job-a", "job-b").build();

    assertThat(weight(fault).fences()).isTrue();
    assertThat(weight(fault).confidence()).isEqualTo(Confidence.MEDIUM);
    assertThat(decide(FREE, List.of(fault), NOW))
        .isInstanceOfSatisfying(
            NodeVerdict.Fence.class,
            f ->
                assertThat(f.reason())
                    .contains("different owners")
                    .contains("confidence medium: kmsg XID-31"));
  }

  /** An older agent does not report owners: two jobs may be one program, made again. */
  @Test
  void shouldNotTakeJobsOfWhichNoOwnerIsKnownForDifferentPrograms() {
    FaultView known = xid31("job-a", "job-b").build();
    FaultView unknown =
        known.withIncidents(
            known.incidents().stream()
                .map(
                    i ->
                        new Incident(
                            i.firstSeen(),
                            i.lastSeen(),
                            i.lines(),
                            i.unit(),
                            i.namespace(),
                            i.pod(),
                            i.jobUid(),
                            i.bootId()))
                .toList());

    assertThat(weight(known).fences()).isTrue();
    assertThat(weight(unknown).fences()).isFalse();
  }

  /** A program in a crash loop, on one node or moving over many, on one GPU or on eight. */
  @ParameterizedTest
  @CsvSource({"1, 1", "1, 8", "5, 1", "5, 8"})
  void shouldNotFenceForAProgramInACrashLoop(int nodes, int gpus) {
    for (String code : List.of("XID-13", "XID-31", "XID-32", "XID-69", "XID-109")) {
      List<FaultView> faults = new ArrayList<>();
      for (int n = 0; n < nodes; n++) {
        for (int g = 0; g < gpus; g++) {
          Fault fault = xid31().code(code).on("n-" + (n + 1)).component("GPU 0000:0" + g + ":00");
          for (int i = 0; i < 8; i++) {
            Instant at = T0.plusSeconds(600L * i + n);
            fault =
                fault.incidents(
                    new Incident(
                        at,
                        at,
                        3,
                        "GPC 0 TPC 0",
                        "team",
                        "pod-" + i,
                        "uid-" + i,
                        "boot-1",
                        "loops",
                        "python",
                        "",
                        List.of()));
          }
          faults.add(fault.build());
        }
      }
      List<FaultView> here = faults.stream().filter(f -> f.node().equals("n-1")).toList();
      List<FaultView> elsewhere = faults.stream().filter(f -> !f.node().equals("n-1")).toList();

      assertThat(NodeVerdicts.weigh(snapshot(here, elsewhere), POLICY, NOW))
          .as(code)
          .noneMatch(FaultView::fences);
    }
  }

  private static NodeSnapshot snapshot(List<FaultView> here, List<FaultView> elsewhere) {
    return new NodeSnapshot(FREE, here, elsewhere, List.of());
  }

  @Test
  void shouldNotBlameTheGpuForAJobThatFailsOnOthersToo() {
    FaultView here = xid31("job-a", "job-b").build();
    FaultView there = xid31("job-a").on("n-2").build();

    FaultWeightsOf weights = weights(List.of(here), List.of(there));

    assertThat(weights.first().fences()).isFalse();
  }

  @Test
  void shouldSayThatItIsTheProgramWhereNothingElseIsLeft() {
    FaultView here = xid31("job-a").build();
    FaultView there = xid31("job-a").component("GPU 0000:4c:00").build();

    assertThat(weights(List.of(here, there), List.of()).first().reason())
        .contains("the same program");
  }

  @Test
  void shouldNotExcuseWhatNoProgramCauses() {
    Fault ecc = xid31("job-a", "job-b").code("XID-94");

    assertThat(weights(List.of(ecc.build()), List.of(ecc.on("n-2").build())).first().fences())
        .isTrue();
  }

  @Test
  void shouldNotJoinWhatIsMoreThanADayApart() {
    FaultView apart =
        xid31()
            .incident(NOW.minus(Duration.ofHours(40)), "job-a", "")
            .incident(NOW.minus(Duration.ofHours(1)), "job-b", "")
            .build();
    FaultView together =
        xid31()
            .incident(NOW.minus(Duration.ofHours(40)), "job-a", "")
            .incident(NOW.minus(Duration.ofHours(20)), "job-b", "")
            .build();

    assertThat(weight(apart).fences()).isFalse();
    assertThat(weight(together).fences()).isTrue();
  }

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

  private record FaultWeightsOf(List<FaultView> faults) {
    FaultView.Assessment first() {
      return Objects.requireNonNull(faults.getFirst().weight());
    }
  }

  private static FaultView.Assessment weight(FaultView fault) {
    return weights(List.of(fault), List.of()).first();
  }

  private static FaultWeightsOf weights(List<FaultView> here, List<FaultView> elsewhere) {
    return new FaultWeightsOf(
        NodeVerdicts.weigh(new NodeSnapshot(FREE, here, elsewhere, List.of()), POLICY, NOW));
  }
}
