package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Hosts that run ahead: what they have enqueued is not where their devices are. */
class DeviceOrderTest {
  private static final ProcessGroup ALL = new ProcessGroup("0", "ALL", List.of(0, 1, 2, 3));
  private static final ProcessGroup TP = new ProcessGroup("1", "TP", List.of(0, 1));
  private static final ProcessGroup PP = new ProcessGroup("2", "PP", List.of(0, 2));
  private static final ProcessGroup PP1 = new ProcessGroup("3", "PP", List.of(1, 3));
  private static final ProcessGroup PAIR = new ProcessGroup("4", "DP", List.of(0, 2));

  private final Map<Integer, Map<ProcessGroup, List<Collective>>> calls = new TreeMap<>();
  private final Map<Integer, Map<ProcessGroup, Integer>> over = new HashMap<>();
  private long clock = 1_000;

  private Map<ProcessGroup, List<Collective>> of(int rank) {
    return calls.computeIfAbsent(rank, _ -> new HashMap<>());
  }

  /** The rank is in the group and has completed so many collectives. */
  private void member(int rank, ProcessGroup group, int completed) {
    of(rank).computeIfAbsent(group, _ -> new ArrayList<>());
    over.computeIfAbsent(rank, _ -> new HashMap<>()).put(group, completed);
  }

  private void enqueues(int rank, ProcessGroup group, int number) {
    enqueues(rank, group, number, "all_reduce");
  }

  private void enqueues(int rank, ProcessGroup group, int number, String operation) {
    of(rank)
        .computeIfAbsent(group, _ -> new ArrayList<>())
        .add(new Collective(number, operation, "[8]", false, true, clock++));
  }

  private void exchanges(int rank, ProcessGroup group, int number, String operation) {
    of(rank)
        .computeIfAbsent(group, _ -> new ArrayList<>())
        .add(new Collective(number, operation, "[8]", true, true, clock++));
  }

  private StallReport report(int world) {
    return StallAnalysis.of(dumps(), Set.of(), world);
  }

  private List<Dump> dumps() {
    List<Dump> dumps = new ArrayList<>();
    calls.forEach(
        (rank, groups) -> {
          Map<ProcessGroup, GroupProgress> progress = new HashMap<>();
          groups.forEach(
              (group, own) -> {
                int completed = over.getOrDefault(rank, Map.of()).getOrDefault(group, 0);
                long enqueued =
                    own.stream()
                        .filter(c -> !c.pointToPoint())
                        .mapToLong(Collective::sequence)
                        .max()
                        .orElse(completed);
                progress.put(group, new GroupProgress(enqueued, completed, false, own));
              });
          dumps.add(new Dump(rank, progress, clock));
        });
    return dumps;
  }

  private void all(int completed) {
    for (int rank = 0; rank < 4; rank++) {
      member(rank, ALL, completed);
    }
    member(0, TP, 9);
    member(1, TP, 9);
  }

  /**
   * Rank 1 stands. Rank 0 waits for it, has enqueued a send behind that, and rank 2 waits for this;
   * rank 3 has run ahead to what rank 2 has not enqueued.
   */
  @Test
  void shouldNotNameAPeerOfARankWhoseDeviceHasNotComeToItsSend() {
    all(7);
    enqueues(0, TP, 10);
    exchanges(0, PP, 1, "send 0->1");
    exchanges(2, PP, 1, "recv 1<-0");
    exchanges(3, PP1, 1, "recv 1<-0");
    enqueues(3, ALL, 8);
    var report = report(4);
    assertThat(report.culprits()).extracting(Culprit::rank).containsExactly(1);
    assertThat(report.stallClass()).isEqualTo(StallClass.HOST);
  }

  /**
   * Devices of two ranks have stopped in collectives that their pairs have completed. Neither waits
   * for the other in the exchange of all with all that their hosts have enqueued behind that.
   */
  @Test
  void shouldNameTwoDevicesThatHaveNotComeToTheExchangeThatBothAreBehindIn() {
    ProcessGroup other = new ProcessGroup("5", "TP", List.of(2, 3));
    ProcessGroup exchange = new ProcessGroup("6", "EP", List.of(0, 1, 2, 3, 4, 5, 6, 7));
    member(1, TP, 10);
    member(3, other, 10);
    for (int rank = 0; rank < 8; rank++) {
      boolean stopped = rank == 0 || rank == 2;
      member(rank, exchange, stopped ? 7 : 8);
      if (stopped) {
        member(rank, rank == 0 ? TP : other, 9);
        enqueues(rank, rank == 0 ? TP : other, 10);
      }
      enqueues(rank, exchange, stopped ? 8 : 9, "all_to_all");
    }
    var report = report(8);
    assertThat(report.culprits()).extracting(Culprit::rank).containsExactly(0, 2);
    assertThat(report.stallClass()).isEqualTo(StallClass.DEVICE_OR_LINK);
  }

  /** Both devices of a pair are in one collective: what waits for them is no sign of a host. */
  @Test
  void shouldNameNobodyWhereADeviceOfEachRankStandsInOneCollective() {
    all(7);
    member(0, PAIR, 2);
    member(2, PAIR, 2);
    enqueues(0, TP, 10);
    enqueues(1, TP, 10);
    enqueues(2, PAIR, 3);
    var report = report(4);
    assertThat(report.culprits()).isEmpty();
    assertThat(report.stallClass()).isEqualTo(StallClass.NETWORK);
    assertThat(report.evidence().toString()).contains("TP (group 1)", "collective 10");
  }

  /** Both devices of a pair are in its send and its receive: either may have stopped. */
  @Test
  void shouldNameNobodyWhereAPairStandsInASendAndItsReceive() {
    all(7);
    exchanges(0, PP, 1, "send 0->1");
    exchanges(2, PP, 1, "recv 1<-0");
    enqueues(1, ALL, 8);
    enqueues(3, ALL, 8);
    var report = report(4);
    assertThat(report.culprits()).isEmpty();
    assertThat(report.stallClass()).isEqualTo(StallClass.NETWORK);
    assertThat(report.evidence().toString())
        .contains("ranks 0, 2 stand in one send and its receive");
  }

  /** All have enqueued all, one of them in another order. */
  @Test
  void shouldSeeThatDevicesWaitForEachOther() {
    all(7);
    for (int rank = 0; rank < 4; rank++) {
      if (rank == 1) {
        enqueues(1, TP, 10);
        enqueues(1, ALL, 8);
      } else {
        enqueues(rank, ALL, 8);
      }
    }
    enqueues(0, TP, 10);
    var report = report(4);
    assertThat(report.culprits()).isEmpty();
    assertThat(report.stallClass()).isEqualTo(StallClass.PROGRAM);
    assertThat(report.evidence().toString()).contains("ranks 0, 1 wait for each other");
  }

  /** Rank 3 has no dump, and rank 1 waits for its send. */
  @Test
  void shouldNotNameARankThatWaitsForAPeerWithoutADump() {
    for (int rank = 0; rank < 3; rank++) {
      member(rank, ALL, 7);
    }
    exchanges(1, PP1, 1, "recv 0<-1");
    enqueues(0, ALL, 8);
    enqueues(2, ALL, 8);
    var report = report(4);
    assertThat(report.culprits()).extracting(Culprit::rank).doesNotContain(1);
  }

  /** A batch ends when all of it has: its receive is under way, its send is not. */
  @Test
  void shouldInspectAllOfABatch() {
    var line = new ProcessGroup("5", "PP", List.of(0, 1, 2));
    member(0, line, 0);
    member(2, line, 0);
    exchanges(1, line, 4, "recv 1<-0");
    exchanges(1, line, 4, "send 1->2");
    exchanges(0, line, 4, "send 0->1");
    assertThat(report(3).culprits()).extracting(Culprit::rank).containsExactly(2);
  }

  /** Ranks 0 and 2 stand in what they alone are in: that rank 3 has not joined explains it not. */
  @Test
  void shouldNameNobodyByCopiesWhereOthersStandInWhatDoesNotWaitForIt() {
    all(7);
    member(0, PAIR, 2);
    member(2, PAIR, 2);
    enqueues(0, PAIR, 3);
    enqueues(2, PAIR, 3);
    for (int rank : List.of(0, 1, 2)) {
      enqueues(rank, ALL, 8);
    }
    assertThat(report(4).culprits()).extracting(Culprit::rank).containsExactly(3);
    var copied = new Moments();
    copied.addUntimed();
    var report = StallAnalysis.of(dumps(), Set.of(), Set.of(), 4, copied);
    assertThat(report.culprits()).isEmpty();
    assertThat(report.evidence().toString())
        .contains("ranks 0, 2 stand in what does not end, and do not wait for rank 3");
  }

  /** Summaries of older agents keep no order: nothing is concluded from one. */
  @Test
  void shouldConcludeNothingWithoutTimes() {
    clock = -100;
    all(7);
    for (int rank = 0; rank < 4; rank++) {
      enqueues(rank, ALL, 8);
    }
    assertThat(report(4).evidence().toString()).doesNotContain("devices");
  }
}
