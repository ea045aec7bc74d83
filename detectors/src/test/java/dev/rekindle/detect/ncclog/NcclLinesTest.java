package dev.rekindle.detect.ncclog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.ncclog.LogFact.CollectiveMismatch;
import dev.rekindle.detect.ncclog.LogFact.CollectiveTimeout;
import dev.rekindle.detect.ncclog.LogFact.DeviceError;
import dev.rekindle.detect.ncclog.LogFact.DumpSignal;
import dev.rekindle.detect.ncclog.LogFact.GilStuck;
import dev.rekindle.detect.ncclog.LogFact.IbAsyncEvent;
import dev.rekindle.detect.ncclog.LogFact.IbCompletion;
import dev.rekindle.detect.ncclog.LogFact.PeerClosed;
import dev.rekindle.detect.ncclog.LogFact.PeersFailed;
import dev.rekindle.detect.ncclog.LogFact.RecorderOff;
import dev.rekindle.detect.ncclog.LogFact.RemoteError;
import dev.rekindle.detect.ncclog.LogFact.WatchdogStuck;
import dev.rekindle.detect.ncclog.LogFact.WorkCounters;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class NcclLinesTest {
  private static final LoggedGroup DEFAULT = new LoggedGroup("0", true, "default_pg", 118);
  private static final LoggedGroup NINE = new LoggedGroup("9", true, "", 7);
  private static final LoggedGroup RANK_7 = new LoggedGroup("", false, "", 7);
  private static final LoggedGroup PG_1 = new LoggedGroup("1", false, "", 0);
  private static final LoggedGroup ALL_2 = new LoggedGroup("0", true, "default_pg", 2);

  /** Lines as jobs have printed them, with the prefixes of all versions. */
  static Stream<Arguments> recorded() {
    return Stream.of(
        line(
            "[rank2]:[E626 05:06:30.393067540 ProcessGroupNCCL.cpp:629] [Rank 7] Watchdog caught"
                + " collective operation timeout: WorkNCCL(SeqNum=120049, OpType=_ALLGATHER_BASE,"
                + " NumelIn=16384000, NumelOut=131072000, Timeout(ms)=1800000) ran for 1800065"
                + " milliseconds before timing out.",
            2,
            new CollectiveTimeout(RANK_7, 120049, "_ALLGATHER_BASE", 1800065)),
        line(
            "[E ProcessGroupNCCL.cpp:475] [Rank 7] Watchdog caught collective operation timeout:"
                + " WorkNCCL(SeqNum=3, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600451"
                + " milliseconds before timing out.",
            -1,
            new CollectiveTimeout(RANK_7, 3, "ALLREDUCE", 600451)),
        line(
            "(RayWorkerWrapper pid=4009) [rank0]:[E1126 01:02:03.004 ProcessGroupNCCL.cpp:563] [PG"
                + " 1 Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9,"
                + " OpType=COALESCED, NumelIn=18446744073709551615,"
                + " NumelOut=18446744073709551615, Timeout(ms)=600000) ran for 600001 milliseconds"
                + " before timing out.",
            0,
            new CollectiveTimeout(PG_1, 9, "COALESCED", 600001)),
        line(
            "\u001b[36m[80746] [rank7]:[E626 05:14:36.393067540 ProcessGroupNCCL.cpp:1743]\u001b[0m"
                + " [PG ID 2 PG GUID 9 Rank 7] Timeout at NCCL work: 158046, last enqueued NCCL"
                + " work: 158046, last completed NCCL work: 158045.",
            7,
            new WorkCounters(NINE, 158046, 158045)),
        line(
            "[rank118]:[E1126 14:02:03.123456789 ProcessGroupNCCL.cpp:1682] [PG ID 0 PG GUID"
                + " 0(default_pg) Rank 118] Exception (either an error or timeout) detected by"
                + " watchdog at work: 7753, last enqueued NCCL work: 7755, last completed NCCL"
                + " work: 7752.",
            118,
            new WorkCounters(DEFAULT, 7755, 7752)),
        line(
            "[rank118]:[E1126 14:02:03.1 ProcessGroupNCCL.cpp:655] [PG GUID 0(default_pg) Rank 118]"
                + "  failure detected by watchdog at work sequence id: 2398459 PG status: last"
                + " enqueued work: 2398578, last completed work: -1",
            118,
            new WorkCounters(DEFAULT, 2398578, -1)),
        line(
            "[rank7]:[E626 05:14:36.3 ProcessGroupNCCL.cpp:1316] [PG ID 2 PG GUID 9 Rank 7]"
                + " Received a dump signal due to a collective timeout from  rank 6 and we will try"
                + " our best to dump the debug info. Last enqueued NCCL work: 460631, last"
                + " completed NCCL work: 460630.This is most likely caused by incorrect usages of"
                + " collectives",
            7,
            new DumpSignal(NINE, 6, 460631, 460630)),
        line(
            "[rank7]:[E626 05:14:36.3 ProcessGroupNCCL.cpp:1316] [PG ID 2 PG GUID 9 Rank 7]"
                + " Observed flight recorder dump signal from another rank via TCPStore.",
            7,
            new DumpSignal(NINE, -1, -1, -1)),
        line(
            "[rank2]:[F626 05:14:36.393 ProcessGroupNCCL.cpp:1306] [PG ID 0 PG GUID 0(default_pg)"
                + " Rank 2] [PG ID 0 PG GUID 0(default_pg) Rank 2] ProcessGroupNCCL's watchdog got"
                + " stuck for 480 seconds without making progress in monitoring enqueued"
                + " collectives. This typically indicates a NCCL/CUDA API hang",
            2,
            new WatchdogStuck(480)),
        line(
            "[rank2]:[E626 05:14:36.4 ProcessGroupNCCL.cpp:1376] [PG ID 0 PG GUID 0(default_pg)"
                + " Rank 2] Could not acquire GIL within 300 ms on exit, possible GIL induced hang",
            2,
            new GilStuck()),
        line(
            "[rank2]:[E626 05:14:36.4 ProcessGroupNCCL.cpp:1834] [PG ID 0 PG GUID 0(default_pg)"
                + " Rank 2] Stack trace of the failed collective not found, potentially because"
                + " FlightRecorder is disabled.",
            2,
            new RecorderOff()),
        line(
            "[rank5]:[E626 05:14:36.4 ProcessGroupNCCL.cpp:1900] [PG ID 0 PG GUID 0(default_pg)"
                + " Rank 2]  remote error detected from rank: 3",
            5,
            new RemoteError(ALL_2, 3)),
        line(
            "[E1126 10:00:00.1 ProcessGroupGloo.cpp:2791] [Rank 0]: Rank 1 failed to pass"
                + " monitoredBarrier in 5000 ms",
            -1,
            new PeersFailed(List.of(1))),
        line(
            "[rank0]: RuntimeError: [Rank 0]: Ranks 1, 3 failed to pass monitoredBarrier in 5000"
                + " ms",
            0,
            new PeersFailed(List.of(1, 3))),
        line(
            "[rank0]: RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is"
                + " running collective: CollectiveFingerPrint(SequenceNumber=4, OpType=ALLREDUCE,"
                + " TensorShape=[20, 10], TensorDtypes=Float), but Rank 1 is running collective:"
                + " CollectiveFingerPrint(SequenceNumber=4, OpType=REDUCE, TensorShape=[20],"
                + " TensorDtypes=Float).Collectives differ in the following aspects: Op type",
            0,
            new CollectiveMismatch(0, "ALLREDUCE of [20, 10]", 1, "REDUCE of [20]")),
        line(
            "[rank3]: RuntimeError: CUDA error: device-side assert triggered",
            3,
            new DeviceError("device-side assert triggered")),
        line(
            "[rank3]: jax failed: CUDA_ERROR_NVLINK_UNCORRECTABLE: x",
            3,
            new DeviceError("CUDA_ERROR_NVLINK_UNCORRECTABLE")),
        line(
            "gpu-17:3314:4021 [4] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from"
                + " peer 10.216.210.236<54862> with status=12 opcode=0 len=0 vendor err 129 (Recv)"
                + " localGid fe80::1 remoteGids fe80::2 hca mlx5_10",
            -1,
            new IbCompletion("gpu-17", "10.216.210.236", 12, "mlx5_10")),
        line(
            "gpu-17:3314:4021 [4] NCCL WARN NET/IBP: Got completion from peer 10.0.0.1<1> with"
                + " error 5, opcode 1, len 0, vendor err 244",
            -1,
            new IbCompletion("gpu-17", "10.0.0.1", 5, "")),
        line(
            "[2026-11-24 10:00:00] gpu-17:3314:4021 [4] transport/net_ib.cc:1295 (ncclIbTest) NCCL"
                + " WARN NET/IB: Got completion from peer 10.0.0.1<1> with"
                + " status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) vendor_err=129 req_type x"
                + " hca mlx5_3",
            -1,
            new IbCompletion("gpu-17", "10.0.0.1", 12, "mlx5_3")),
        line(
            "gpu-17:3314:4021 [4] transport/net_ib.cc:95 NCCL WARN NET/IB : mlx5_0:1 async fatal"
                + " event: device fatal",
            -1,
            new IbAsyncEvent("gpu-17", "mlx5_0:1", true, "async fatal event: device fatal")),
        line(
            "gpu-17:3314:4021 [4] transport/net_ib.cc:95 NCCL WARN NET/IB : mlx5_0:1 async fatal"
                + " event on QP (0x1) qpn=7",
            -1,
            new IbAsyncEvent("gpu-17", "mlx5_0:1", false, "async fatal event on QP (0x1) qpn=7")),
        line(
            "gpu-17:1:2 [4] net_ib.cc:1 NCCL WARN NET/IB : mlx5_0:1 Got non-fatal async event: port"
                + " error(10)",
            -1,
            new IbAsyncEvent("gpu-17", "mlx5_0:1", false, "port error(10)")),
        line(
            "gpu-17:1:2 [4] net_ib.cc:1 NCCL WARN NET/IB : Got async event : GID table change",
            -1,
            new IbAsyncEvent("gpu-17", "", false, "GID table change")),
        line(
            "[default3]:gpu-17:1:2 [0] misc/socket.cc:50 NCCL WARN socketProgress: Connection"
                + " closed by remote peer gpu-18.example<46054>",
            -1,
            new PeerClosed("gpu-17", "gpu-18.example")));
  }

  private static Arguments line(String line, int rank, LogFact fact) {
    return Arguments.of(line, rank, fact);
  }

  @ParameterizedTest
  @MethodSource("recorded")
  void shouldReadWhatJobsHavePrinted(String line, int rank, LogFact fact) {
    assertThat(NcclLines.mayHold(line)).isTrue();
    assertThat(NcclLines.read(line))
        .hasValueSatisfying(
            found -> {
              assertThat(found.fact()).isEqualTo(fact);
              assertThat(found.rank()).isEqualTo(rank);
            });
  }

  /** The same sentence inside an exception's, what comes after, and what programs print. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "  what():  [PG ID 0 PG GUID 0(default_pg) Rank 3] Process group watchdog thread terminated"
            + " with exception: [Rank 3] Watchdog caught collective operation timeout:"
            + " WorkNCCL(SeqNum=3, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600451"
            + " milliseconds before timing out.",
        "[rank3]:[E626 05:14:36.3 ProcessGroupNCCL.cpp:1834] [PG ID 0 PG GUID 0 Rank 3] Process"
            + " group watchdog thread terminated with exception: [Rank 3] Watchdog caught"
            + " collective operation timeout: WorkNCCL(SeqNum=3, OpType=ALLREDUCE,"
            + " Timeout(ms)=600000) ran for 600451 milliseconds before timing out.",
        "[rank3]:[E626 05:14:36.3 ProcessGroupNCCL.cpp:622] [Rank 3] To avoid data inconsistency,"
            + " we are taking the entire process down.",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
        "step 12 loss 1.5",
        "gpu-17:1:2 [4] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB",
        "gpu-17:1:2 [4] NCCL WARN Cuda failure 'driver shutting down'",
        ""
      })
  void shouldReadNothingElse(String line) {
    assertThat(NcclLines.read(line)).isEmpty();
  }

  @Test
  void shouldOrderLinesByTheirTimes() {
    var form =
        "[rank2]:[E%s ProcessGroupNCCL.cpp:1] [Rank 2] Could not acquire GIL within 300 ms on exit";
    long first = millis(form.formatted("626 05:06:30.393067540"));
    assertThat(millis(form.formatted("626 05:14:36.5")) - first)
        .isEqualTo(Duration.ofMinutes(8).plusSeconds(6).minusMillis(388).toMillis());
    assertThat(millis(form.formatted("1126 05:06:30.393067540"))).isGreaterThan(first);
    assertThat(millis(form.formatted("0626 05:06:30.393067"))).isEqualTo(first);
    assertThat(millis(form.formatted("1399 05:06:30.3"))).isEqualTo(-1);
    assertThat(millis(form.formatted(""))).isEqualTo(-1);
    assertThat(
            millis(
                "E0626 05:06:30.393067 1234 ProcessGroupNCCL.cpp:1743] [Rank 2] Could not acquire"
                    + " GIL within 300 ms on exit"))
        .isEqualTo(first);
  }

  private static long millis(String line) {
    return NcclLines.read(line).map(NcclLine::millis).orElseThrow();
  }

  @Test
  void shouldInspectTheBeginningOfALineOnly() {
    var line = "[rank3]: RuntimeError: CUDA error: x";
    assertThat(NcclLines.read(" ".repeat(NcclLines.LONGEST - line.length()) + line)).isPresent();
    assertThat(NcclLines.read(" ".repeat(NcclLines.LONGEST) + line)).isEmpty();
    assertThat(NcclLines.read("CUDA error: " + "y".repeat(1000)))
        .hasValueSatisfying(
            found ->
                assertThat(((DeviceError) found.fact()).error()).hasSize(LogFact.LONGEST_TEXT));
    assertThat(NcclLines.read("[rank99999999]: CUDA error: x"))
        .hasValueSatisfying(found -> assertThat(found.rank()).isEqualTo(-1));
  }

  /** Parts of good lines, put together at random. */
  @Test
  void shouldThrowNothing() {
    var lines = recorded().map(arguments -> (String) arguments.get()[0]).toList();
    var random = new Random(7);
    int facts = 0;
    for (int i = 0; i < 100_000; i++) {
      var text = new StringBuilder();
      for (int parts = 1 + random.nextInt(4); parts > 0; parts--) {
        var line = lines.get(random.nextInt(lines.size()));
        int from = random.nextInt(line.length());
        text.append(line, random.nextBoolean() ? 0 : from, line.length());
        if (random.nextInt(8) == 0) {
          text.setLength(random.nextInt(text.length() + 1));
        }
        if (random.nextInt(8) == 0) {
          text.append((char) random.nextInt(0x300)).append(random.nextLong());
        }
      }
      facts += NcclLines.read(text.toString()).isPresent() ? 1 : 0;
    }
    assertThat(facts).isGreaterThan(10_000);
  }

  /** Processes share a stream, and write into each other's lines. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "gpu-16:1:2 [0] NCCL INFO Channel 00/0 : 0[0] ->gpu-17:3314:4021 [4] NCCL WARN NET/IB : Got"
            + " completion from peer 10.0.0.1<5> with status=12 opcode=0 len=0 vendor err 129",
        "gpu-17:3314:4021 [4] NCCL WARN NET/IB : Got completion from peer 10.0.0.1<5> with"
            + " status=12 opcode=0 gpu-16:1:2 [0] NCCL INFO NET/IB : x hca mlx5_9",
        "[2026-11-24 10:00:00] gpu-17:3314:4021 [4] transport/net_ib.cc:1295 (wrap) NCCL WARN"
            + " NET/IB: Got completion from peer 10.0.0.1<5> with status=12",
        "worker-3 | [rank4]: gpu-17:3314:4021 [4] NCCL WARN NET/IBP: Got completion from peer"
            + " 10.0.0.1<5> with status=12 opcode=0gpu-18:1:2 [0] NCCL WARN socketProgress:"
            + " Connection closed by remote peer a<46054>"
      })
  void shouldReadAWarningBetweenLinesOfOthers(String line) {
    assertThat(NcclLines.read(line).map(NcclLine::fact))
        .contains(new IbCompletion("gpu-17", "10.0.0.1", 12, ""));
  }
}
