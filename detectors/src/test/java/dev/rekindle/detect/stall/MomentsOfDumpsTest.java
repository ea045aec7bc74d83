package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.stall.PlayedJob.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Dumps of ranks that still move, of different moments, and left from before. */
class MomentsOfDumpsTest {
  /** More of them: {@code -Ddumps.seeds=200 -Ddumps.from=93110000}. */
  private static final int SEEDS = Integer.getInteger("dumps.seeds", 12);

  private static final long FROM = Long.getLong("dumps.from", 93_100_000L);

  /** Whether recorders time devices. */
  private static final boolean TIMED = Boolean.getBoolean("dumps.timed");

  @TempDir Path folder;

  /** When the dumps of a job were written, and what is left of it. */
  enum Written {
    /** Long after nothing moved any more, some seconds apart. */
    LATE,
    /** While ranks still come to where they wait. */
    EARLY,
    /** Late, but for those of some ranks, which are from before. */
    FORMER,
    /** So, and all files have the time at which they were copied. */
    FORMER_COPIED,
    /** So, one file after the other. */
    FORMER_IN_ORDER,
    /** Late, none is from before, and all files have the time at which they were copied. */
    LATE_COPIED;

    boolean former() {
      return this == FORMER || this == FORMER_COPIED || this == FORMER_IN_ORDER;
    }

    /** The time of a file in milliseconds. */
    long time(int rank, long at, long from) {
      return switch (this) {
        case LATE, EARLY, FORMER -> at;
        case FORMER_COPIED, LATE_COPIED -> from + 3_600_000;
        case FORMER_IN_ORDER -> from + 3_600_000 + rank * 7L;
      };
    }
  }

  /** Names of some sets, against the truth. A guess counts as none. */
  private static final class Tally {
    int right;
    final List<String> wrong = new ArrayList<>();

    void add(long seed, PlayedJob job, StallReport report) {
      var truth = job.culprit();
      var named =
          report.confidence() == Confidence.LOW
              ? List.<Integer>of()
              : report.culprits().stream().map(Culprit::rank).toList();
      if (named.equals(truth == null ? List.of() : List.of(truth))) {
        right++;
      } else if (!named.isEmpty()) {
        wrong.add("seed %d, truth %s: %s".formatted(seed, truth, report));
      }
    }
  }

  private StallReport analyze(PlayedJob job, Written written, Random random) throws IOException {
    var files = new DumpFiles(new FileNotes(), DumpFiles.MOST_KEPT);
    long from =
        written == Written.EARLY
            ? PlayedJob.FAULT + random.nextInt(6_000)
            : job.stands() + 6_000 + random.nextInt(30_000);
    for (int rank = 0; rank < job.ranks(); rank++) {
      long at = from + random.nextInt(4_000);
      if (written.former() && random.nextInt(6) == 0) {
        at = PlayedJob.FAULT - random.nextInt(2_500);
      }
      var file = folder.resolve("rank_" + rank);
      Files.writeString(file, job.dump(rank, at));
      long time = PlayedJob.nanos(written.time(rank, at, from));
      Files.setLastModifiedTime(file, FileTime.from(time, TimeUnit.NANOSECONDS));
      files.take(file);
    }
    files.passOverFormer();
    return files.report(job.ranks());
  }

  private Tally tally(Written written, Fault fault, boolean straggles) throws IOException {
    return tally(written, fault, straggles, TIMED);
  }

  private Tally tally(Written written, Fault fault, boolean straggles, boolean timed)
      throws IOException {
    var tally = new Tally();
    for (long seed = FROM; seed < FROM + SEEDS; seed++) {
      var random = new Random(seed);
      var job = PlayedJob.play(random, fault, straggles);
      if (timed) {
        job.timed();
      }
      // A job with a straggler may move to the end of what is played.
      boolean stands = fault != Fault.NONE && job.stands() < PlayedJob.END - 2_000;
      tally.add(seed, job, analyze(job, stands ? written : Written.EARLY, random));
    }
    return tally;
  }

  /** Right, wrong and silent of each kind: {@code -Ddumps.table=true}. */
  @ParameterizedTest
  @EnumSource(Written.class)
  @EnabledIfSystemProperty(named = "dumps.table", matches = "true")
  void shouldCount(Written written) throws IOException {
    for (var fault : Fault.values()) {
      for (boolean straggles : new boolean[] {false, true}) {
        var tally = tally(written, fault, straggles);
        int wrong = tally.wrong.size();
        System.out.printf(
            "%s, %s%s: %d/%d/%d, wrong with high: %d%n",
            written,
            fault,
            straggles ? ", one is slow" : "",
            tally.right,
            wrong,
            SEEDS - tally.right - wrong,
            tally.wrong.stream().filter(line -> line.contains("confidence=HIGH")).count());
        assertThat(tally.right + wrong).isLessThanOrEqualTo(SEEDS);
      }
    }
  }

  /** Where files have the times at which they were written. */
  @ParameterizedTest
  @EnumSource(
      value = Written.class,
      names = {"LATE", "EARLY", "FORMER"})
  void shouldNameNoInnocentRank(Written written) throws IOException {
    for (var fault : Fault.values()) {
      for (boolean straggles : new boolean[] {false, true}) {
        assertThat(tally(written, fault, straggles).wrong)
            .as("%s, straggler %b", fault, straggles)
            .isEmpty();
      }
    }
  }

  @Test
  void shouldNameEachHostThatStoppedOnceNothingMoves() throws IOException {
    assertThat(tally(Written.LATE, Fault.HOST, false).right).isEqualTo(SEEDS);
  }

  @ParameterizedTest
  @CsvSource({
    "LATE,HOST,true,65",
    "EARLY,HOST,false,80",
    "FORMER,HOST,false,60",
    "LATE,DEVICE,true,65",
    "LATE,DEVICE,false,15"
  })
  void shouldNameMostOfTheOthers(Written written, Fault fault, boolean straggles, int percent)
      throws IOException {
    assertThat(tally(written, fault, straggles).right * 100)
        .isGreaterThanOrEqualTo(percent * SEEDS);
  }

  /** Where recorders time devices a device that has not come to what others stand in shows. */
  @ParameterizedTest
  @EnumSource(
      value = Written.class,
      names = {"LATE", "EARLY", "FORMER"})
  void shouldNameDevicesThatAreTimedAndNoInnocentRank(Written written) throws IOException {
    for (var fault : Fault.values()) {
      for (boolean straggles : new boolean[] {false, true}) {
        assertThat(tally(written, fault, straggles, true).wrong)
            .as("%s, straggler %b", fault, straggles)
            .isEmpty();
      }
    }
    if (written == Written.LATE) {
      assertThat(tally(written, Fault.DEVICE, false, true).right * 100)
          .isGreaterThanOrEqualTo(65 * SEEDS);
    }
  }

  /** Without those times only what dumps hold shows that one is older: most of it, not all. */
  @Test
  void shouldSeeMostFormerDumpsByWhatTheyHold() throws IOException {
    int wrong = 0;
    for (var fault : Fault.values()) {
      wrong += tally(Written.FORMER_COPIED, fault, false).wrong.size();
    }
    assertThat(wrong * 100).isLessThanOrEqualTo(10 * Fault.values().length * SEEDS);
  }
}
