package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankDevice;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.detect.flightrecorder.DumpException;
import dev.rekindle.detect.flightrecorder.DumpReader;
import dev.rekindle.detect.stall.PlayedJob.Fault;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Played jobs as agents report them, with what their GPUs do: those of ranks whose device stands in
 * an operation spin in it, that of a rank whose device has stopped before is at work or idle. That
 * GPUs look so is taken from reports of others, and was not measured here.
 */
class PlayedDevicesTest {
  /** More of them: {@code -Ddumps.seeds=200 -Ddumps.from=93110000}. */
  private static final int SEEDS = Integer.getInteger("dumps.seeds", 20);

  private static final long FROM = Long.getLong("dumps.from", 93_200_000L);

  private record Tally(int right, int silent, List<String> wrong) {
    @Override
    public String toString() {
      return "%d/%d/%d".formatted(right, wrong.size(), silent);
    }
  }

  /** What is seen of GPUs. */
  private enum Seen {
    NOTHING,
    /** All that is there. */
    ALL,
    /** So, but one GPU of eight shows something else than it does. */
    SOME_FALSE
  }

  private static RankDevice device(PlayedJob job, int rank, Random random, Seen seen) {
    boolean waits = job.standsInOperation(rank);
    if (seen == Seen.SOME_FALSE && random.nextInt(8) == 0) {
      waits = !waits;
    }
    if (waits) {
      return new RankDevice(
          "0000:3b:00", 100, random.nextInt(3), 230 + random.nextInt(60), 35, 950);
    }
    return random.nextBoolean()
        ? new RankDevice(
            "0000:3b:00", 100, 15 + random.nextInt(40), 700 + random.nextInt(300), 35, 950)
        : new RankDevice("0000:3b:00", random.nextInt(3), 0, 130, 35, 950);
  }

  private static RankEvidence report(
      PlayedJob job, int rank, long at, @Nullable RankDevice device) {
    try {
      var bytes = job.dump(rank, at).getBytes(StandardCharsets.UTF_8);
      var dump = new DumpReader(16 << 20, 1_000_000).read(rank, bytes);
      long millis = TimeUnit.NANOSECONDS.toMillis(PlayedJob.nanos(at));
      return new RankEvidence(
              "pod-" + rank,
              "uid-" + rank,
              rank,
              job.ranks(),
              ProcessState.RUNNING,
              DumpState.READ,
              DumpSummary.of(dump, Instant.ofEpochMilli(millis)).orElseThrow())
          .withDevice(device);
    } catch (DumpException e) {
      throw new AssertionError(e);
    }
  }

  private static Tally tally(Fault fault, boolean straggles, Seen seen) {
    int right = 0;
    int silent = 0;
    List<String> wrong = new ArrayList<>();
    for (long seed = FROM; seed < FROM + SEEDS; seed++) {
      var random = new Random(seed);
      var job = PlayedJob.play(random, fault, straggles);
      if (job.stands() >= PlayedJob.END - 2_000) {
        // It moves to the end of what is played, and hangs in no way.
        right++;
        continue;
      }
      long from = job.stands() + 6_000 + random.nextInt(30_000);
      List<RankEvidence> found = new ArrayList<>();
      for (int rank = 0; rank < job.ranks(); rank++) {
        var device = seen == Seen.NOTHING ? null : device(job, rank, random, seen);
        found.add(report(job, rank, from + random.nextInt(4_000), device));
      }
      var report = EvidenceAnalysis.of(found, 64, Instant.EPOCH);
      var named =
          report.confidence() == Confidence.LOW
              ? List.<Integer>of()
              : report.culprits().stream().map(Culprit::rank).toList();
      var truth = job.culprit();
      if (named.equals(truth == null ? List.of() : List.of(truth))) {
        right++;
      } else if (named.isEmpty()) {
        silent++;
      } else {
        wrong.add("seed %d, truth %s: %s".formatted(seed, truth, report));
      }
    }
    return new Tally(right, silent, wrong);
  }

  /** Right, wrong and silent of each kind: {@code -Ddumps.table=true}. */
  @Test
  @EnabledIfSystemProperty(named = "dumps.table", matches = "true")
  void shouldCount() {
    for (var fault : List.of(Fault.HOST, Fault.DEVICE, Fault.NETWORK)) {
      for (boolean straggles : new boolean[] {false, true}) {
        for (var seen : Seen.values()) {
          var tally = tally(fault, straggles, seen);
          System.out.printf(
              "%s%s, GPUs %s: %s%n", fault, straggles ? ", one is slow" : "", seen, tally);
          assertThat(tally.right()).isLessThanOrEqualTo(SEEDS);
        }
      }
    }
  }

  @Test
  void shouldNameNoInnocentRankByItsGpu() {
    for (var fault : List.of(Fault.HOST, Fault.DEVICE, Fault.NETWORK)) {
      for (boolean straggles : new boolean[] {false, true}) {
        assertThat(tally(fault, straggles, Seen.ALL).wrong())
            .as("%s, straggler %b", fault, straggles)
            .isEmpty();
      }
    }
  }

  /** Without GPUs two thirds of them look like either side of a send and its receive. */
  @Test
  void shouldNameMostDevicesThatStopInAPipeline() {
    var without = tally(Fault.DEVICE, false, Seen.NOTHING);
    var with = tally(Fault.DEVICE, false, Seen.ALL);
    assertThat((with.right() - without.right()) * 100).isGreaterThanOrEqualTo(30 * SEEDS);
  }
}
