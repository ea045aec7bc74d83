package dev.rekindle.detect.stall;

import static dev.rekindle.detect.stall.PipelineDumps.BATCH;
import static dev.rekindle.detect.stall.PipelineDumps.RANKS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two faults at once in a pipeline of experts, of the shape of two recorded runs of 16 ranks into
 * which such faults were injected: devices of two ranks that end with an error, and two ranks that
 * hold the lock of their interpreter.
 */
class PipelineFaultsTest {
  private static final int BASE = 12 * BATCH;

  @TempDir Path folder;

  /**
   * The devices of 4 and 6 have stopped in an all-gather that their partners have completed. Those
   * are two micro-batches ahead and stand where 4 has enqueued nothing any more, or in an exchange
   * with it. The first stage waits for what 4 and 6 were to send.
   */
  private static PipelineDumps devices() {
    int ahead = BASE + 2 * BATCH;
    return new PipelineDumps()
        .rank(0, BASE + 5, BASE + 13)
        .rank(1, BASE + 7, BASE + 15)
        .rank(2, BASE + 5, BASE + 13)
        .rank(3, BASE + 7, BASE + 15)
        .rank(4, BASE + 1, ahead + 1)
        .rank(5, ahead + 1, ahead + 8)
        .rank(6, BASE + 1, ahead + 4)
        .rank(7, ahead + 2, ahead + 10);
  }

  /** 2 and 7 have enqueued nothing more, each in a stage of its own, and have nothing pending. */
  private static PipelineDumps locks() {
    var dumps = new PipelineDumps();
    for (int rank = 0; rank < RANKS; rank++) {
      int stands = BASE + (rank < RANKS / 2 ? 3 : 2);
      boolean locked = rank == 2 || rank == 7;
      dumps.rank(rank, stands, locked ? stands : stands + 12);
    }
    return dumps;
  }

  private StallReport analyze() throws IOException {
    var files = WitnessFiles.read(List.of(folder), WitnessFiles.Limits.USUAL);
    return files.dumps().report(0);
  }

  private static List<Integer> ranks(StallReport report) {
    return report.culprits().stream().map(Culprit::rank).toList();
  }

  private void truncate(int rank) throws IOException {
    var file = folder.resolve("_dump_" + rank);
    var time = Files.getLastModifiedTime(file);
    var text = Files.readString(file);
    Files.writeString(file, text.substring(0, text.length() / 2));
    Files.setLastModifiedTime(file, time);
  }

  private void copied() throws IOException {
    for (int rank = 0; rank < RANKS; rank++) {
      var file = folder.resolve("_dump_" + rank);
      if (Files.exists(file)) {
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_795_600_000_000L + rank));
      }
    }
  }

  @Test
  void shouldNameBothDevices() throws IOException {
    devices().write(folder);
    var report = analyze();
    assertThat(ranks(report)).as("%s", report).containsExactly(4, 6);
    assertThat(report.stallClass()).isEqualTo(StallClass.DEVICE_OR_LINK);
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
    assertThat(report.culprits().getFirst().reason())
        .isEqualTo(
            "has not completed collective 425 (_all_gather_base) of TENSOR (group 23), which others"
                + " have");
  }

  @Test
  void shouldNameBothHosts() throws IOException {
    locks().write(folder);
    var report = analyze();
    assertThat(ranks(report)).as("%s", report).containsExactly(2, 7);
    assertThat(report.stallClass()).isEqualTo(StallClass.HOST);
    assertThat(report.confidence()).isEqualTo(Confidence.HIGH);
  }

  @Test
  void shouldBeLessSureOfCopies() throws IOException {
    devices().write(folder);
    copied();
    assertThat(ranks(analyze())).containsExactly(4, 6);
    assertThat(analyze().confidence()).isEqualTo(Confidence.MEDIUM);
    locks().write(folder);
    copied();
    assertThat(ranks(analyze())).containsExactly(2, 7);
    assertThat(analyze().confidence()).isEqualTo(Confidence.MEDIUM);
  }

  /** The dumps of the other pipeline stage are not needed to name the devices. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void shouldNameDevicesWithoutADumpOfTheOtherStage(int missing) throws IOException {
    devices().write(folder);
    Files.delete(folder.resolve("_dump_" + missing));
    var report = analyze();
    assertThat(ranks(report)).as("%s", report).containsExactly(4, 6);
    assertThat(report.stallClass()).isEqualTo(StallClass.DEVICE_OR_LINK);
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
    assertThat(report.evidence()).contains("no dump of rank " + missing);
  }

  /**
   * Where a device stands in an earlier collective than the exchange, it does not wait there for
   * the rank without a dump: its partner has completed that collective.
   */
  @ParameterizedTest
  @ValueSource(ints = {4, 6})
  void shouldNameTheOtherDeviceWithoutADumpOfOne(int missing) throws IOException {
    devices().write(folder);
    Files.delete(folder.resolve("_dump_" + missing));
    var report = analyze();
    assertThat(ranks(report)).as("%s", report).containsExactly(missing == 4 ? 6 : 4);
    assertThat(report.stallClass()).isEqualTo(StallClass.DEVICE_OR_LINK);
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
  }

  /** Without the dump of a partner nothing shows that the device is behind: a guess at most. */
  @ParameterizedTest
  @ValueSource(ints = {5, 7})
  void shouldNameNoInnocentWithoutADumpOfAPartner(int missing) throws IOException {
    devices().write(folder);
    Files.delete(folder.resolve("_dump_" + missing));
    var report = analyze();
    if (report.confidence() != Confidence.LOW) {
      assertThat(Set.of(4, 6)).as("%s", report).containsAll(ranks(report));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void shouldNameHostsThatHaveADump(int missing) throws IOException {
    locks().write(folder);
    Files.delete(folder.resolve("_dump_" + missing));
    var report = analyze();
    var left = List.of(2, 7).stream().filter(rank -> rank != missing).toList();
    assertThat(ranks(report)).as("%s", report).isEqualTo(left);
    assertThat(report.stallClass()).isEqualTo(StallClass.HOST);
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
  }

  /** What cannot be read is as good as missing, but its rank is no guess. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void shouldPassOverATruncatedDump(int cut) throws IOException {
    locks().write(folder);
    truncate(cut);
    var report = analyze();
    assertThat(ranks(report))
        .as("%s", report)
        .isEqualTo(List.of(2, 7).stream().filter(rank -> rank != cut).toList());
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
    devices().write(folder);
    truncate(cut);
    report = analyze();
    if (report.confidence() != Confidence.LOW) {
      assertThat(Set.of(4, 6)).as("%s", report).containsAll(ranks(report));
    }
    assertThat(ranks(report)).as("%s", report).doesNotContain(cut);
  }

  /** A dump of five minutes before the others: what its rank has done since, nothing says. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void shouldPassOverADumpOfMinutesBefore(int old) throws IOException {
    for (boolean copies : new boolean[] {false, true}) {
      locks().write(folder);
      PipelineDumps.write(folder, old, locks().former(old, 4 * BATCH), -300_000);
      if (copies) {
        copied();
      }
      var report = analyze();
      var left = List.of(2, 7).stream().filter(rank -> rank != old).toList();
      assertThat(ranks(report)).as("%s", report).isEqualTo(left);
      assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
      devices().write(folder);
      PipelineDumps.write(folder, old, devices().former(old, 4 * BATCH), -300_000);
      if (copies) {
        copied();
      }
      report = analyze();
      assertThat(ranks(report)).as("%s", report).doesNotContain(old);
      if (report.confidence() != Confidence.LOW) {
        assertThat(Set.of(4, 6)).as("%s", report).containsAll(ranks(report));
      }
    }
  }
}
