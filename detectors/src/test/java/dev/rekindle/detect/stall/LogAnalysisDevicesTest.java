package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Verdicts on devices, connections and groups. */
class LogAnalysisDevicesTest extends LogAnalysisFixture {
  private static String cuda(int rank) {
    return "[rank%d]: RuntimeError: CUDA error: an illegal memory access".formatted(rank);
  }

  private static String completion(String host, String peer, int status, String hca) {
    return "%s:1:2 [0] net_ib.cc:1 NCCL WARN NET/IB : Got completion from peer %s<5> with status=%d"
            .formatted(host, peer, status)
        + " opcode=0 len=0 vendor err 129 (Recv) hca "
        + hca;
  }

  @Test
  void shouldNameTheRankWhoseDeviceFailedBeforeAnyTimeOut() {
    for (int rank = 0; rank < 8; rank++) {
      log(rank, rank == 3 ? cuda(3) : timeout(rank, "05:06:30.1"));
    }
    var report = report(8);
    assertThat(named(report)).containsExactly(3);
    assertThat(report.stallClass()).isEqualTo(StallClass.DEVICE_OR_LINK);
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
    facts.clear();
    log(3, timeout(3, "05:06:30.1"), cuda(3));
    assertThat(report(8).culprits()).as("its context was torn down").isEmpty();
  }

  @Test
  void shouldNameNoRankWhereTheDevicesOfManyFailed() {
    for (int rank = 0; rank < 8; rank++) {
      log(rank, cuda(rank));
    }
    assertThat(report(8).culprits()).isEmpty();
    facts.clear();
    for (int rank = 7; rank >= 0; rank--) {
      lines(0, rank, cuda(rank));
    }
    assertThat(named(report(8))).as("one log shows which was first").containsExactly(7);
  }

  @Test
  void shouldCallDifferentCollectivesTheProgramsFault() {
    var form =
        "Detected mismatch between collectives on ranks. Rank %d is running collective:"
            + " CollectiveFingerPrint(OpType=%s), but Rank %d is running collective:"
            + " CollectiveFingerPrint(OpType=%s).";
    log(0, form.formatted(0, "ALLREDUCE", 1, "REDUCE"));
    assertThat(report(4).stallClass()).isEqualTo(StallClass.PROGRAM);
    assertThat(report(4).culprits()).as("one against one").isEmpty();
    log(2, form.formatted(2, "ALLREDUCE", 1, "REDUCE"));
    assertThat(named(report(4))).containsExactly(1);
    assertThat(report(4).evidence()).contains("rank 1 is running REDUCE");
  }

  @Test
  void shouldNotCompareGroupsWhoseNameIsNotTheirs() {
    var form =
        "[rank%d]:[E626 05:06:30.1 ProcessGroupNCCL.cpp:1] %s Timeout at NCCL work: 9, last"
            + " enqueued NCCL work: 9, last completed NCCL work: %d.";
    for (int rank = 0; rank < 4; rank++) {
      // Number 1 of each process: two groups of two.
      log(rank, form.formatted(rank, "[PG 1 Rank " + rank % 2 + "]", rank == 3 ? 7 : 8));
    }
    assertThat(report(4).culprits()).isEmpty();
    facts.clear();
    for (int rank = 0; rank < 4; rank++) {
      log(
          rank,
          form.formatted(rank, "[PG ID 1 PG GUID x Rank " + rank % 2 + "]", rank == 3 ? 7 : 8));
    }
    assertThat(report(4).culprits()).as("one name of two groups").isEmpty();
    facts.clear();
    for (int rank = 0; rank < 4; rank++) {
      log(rank, form.formatted(rank, "[PG ID 1 PG GUID x Rank " + rank + "]", rank == 3 ? 7 : 8));
    }
    assertThat(named(report(4))).containsExactly(3);
    for (int rank = 0; rank < 4; rank++) {
      log(
          rank,
          timeout(rank, "05:06:30.1")
              .replace("PG GUID 0(default_pg)", "PG GUID x")
              .replace("ALLREDUCE", "SEND"));
    }
    assertThat(report(4).culprits()).as("it counts sends").isEmpty();
  }

  @Test
  void shouldSuspectAHostThatOthersGetNoAnswerFromAndNameNoRank() {
    for (int node = 0; node < 3; node++) {
      log(node, completion("gpu-" + node, "10.0.0.9", 12, "mlx5_" + node));
    }
    log(3, completion("gpu-3", "10.0.0.1", 12, "mlx5_0"));
    var report = report(0);
    assertThat(report.culprits()).isEmpty();
    assertThat(report.stallClass()).isEqualTo(StallClass.DEVICE_OR_LINK);
    assertThat(report.evidence()).anyMatch(line -> line.contains("no answer from 10.0.0.9"));
    facts.clear();
    log(0, completion("gpu-0", "10.0.0.9", 12, "mlx5_1"), completion("gpu-0", "10.0.0.9", 12, "m"));
    assertThat(report(0).stallClass()).as("one host reports").isEqualTo(StallClass.UNKNOWN);
  }

  @Test
  void shouldSuspectNoHostThatFewOfManyReport() {
    for (int node = 0; node < 6; node++) {
      log(node, completion("gpu-" + node, "10.0.0." + node / 2, 12, "mlx5_" + node));
    }
    assertThat(report(0).stallClass()).isEqualTo(StallClass.UNKNOWN);
    assertThat(report(0).evidence()).hasSize(3);
  }

  @Test
  void shouldSuspectTheRailThatAllReportsAreOn() {
    for (int node = 0; node < 4; node++) {
      log(node, completion("gpu-" + node, "10.0.0." + (node + 1) % 4, 12, "mlx5_10"));
    }
    var report = report(0);
    assertThat(report.culprits()).isEmpty();
    assertThat(report.stallClass()).isEqualTo(StallClass.NETWORK);
    assertThat(report.evidence()).anyMatch(line -> line.contains("all on mlx5_10: a rail"));
  }

  @Test
  void shouldTakeAConnectionThatWasInErrorForNoWitness() {
    for (int node = 0; node < 3; node++) {
      log(node, completion("gpu-" + node, "10.0.0.9", 5, "mlx5_1"));
    }
    var report = report(0);
    assertThat(report.stallClass()).isEqualTo(StallClass.UNKNOWN);
    assertThat(report.evidence()).isEmpty();
  }
}
