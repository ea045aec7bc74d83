package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.FREE;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.NOW;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.POLICY;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.decide;
import static dev.rekindle.controller.diagnosis.NodeSnapshots.xid31;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.diagnosis.NodeSnapshots.Fault;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FaultView.Confidence;
import dev.rekindle.controller.model.FaultView.Incident;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Software or hardware: what a fault weighs beside others. */
class FaultAssessorTest extends FaultAssessorFixture {
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
}
