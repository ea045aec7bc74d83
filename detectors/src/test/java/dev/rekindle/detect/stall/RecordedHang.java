package dev.rekindle.detect.stall;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Frame;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.DumpException;
import dev.rekindle.detect.flightrecorder.DumpReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipInputStream;

/**
 * A hang of {@code nccl-hangs-*.zip.gz}, of real PyTorch 2.11 over NCCL 2.28.9 on an H200, recorded
 * by {@code testbed/nccl_hangs.py}. Dumps are as PyTorch wrote them on request through its pipe;
 * stacks are py-spy's, and what {@code /proc/PID/status} said.
 */
final class RecordedHang {
  /**
   * Of dumps that were written so long after the fault. Ranks of a job are alike: packed as one.
   */
  static final List<String> TAUGHT = List.of("nccl-hangs-6s.zip.gz", "nccl-hangs-9s.zip.gz");

  /** Recorded, and judged, after all rules for them. tar kept no parts of a second: made up. */
  static final List<String> FRESH =
      List.of("nccl-hangs-fresh.zip.gz", "nccl-hangs-links.zip.gz", "nccl-hangs-torchtitan.zip.gz");

  private final Path folder;
  private final JsonNode truth;

  private RecordedHang(Path folder) throws IOException {
    this.folder = folder;
    truth = new ObjectMapper().readTree(Files.readString(folder.resolve("truth.json")));
  }

  /** All of them, unpacked with the times at which dumps were written. */
  static List<RecordedHang> unpack(Path to, List<String> archives) throws IOException {
    for (var archive : archives) {
      var path = Path.of("src/test/resources/dev/rekindle/detect/stall", archive);
      try (var zip = new ZipInputStream(new GZIPInputStream(Files.newInputStream(path)))) {
        for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
          var target = to.resolve(entry.getName());
          Files.createDirectories(target.getParent());
          Files.copy(zip, target);
        }
      }
    }
    List<RecordedHang> hangs = new ArrayList<>();
    try (Stream<Path> folders = Files.list(to)) {
      for (var folder : folders.sorted().toList()) {
        var hang = new RecordedHang(folder);
        hang.setTimes();
        hangs.add(hang);
      }
    }
    return hangs;
  }

  private void setTimes() throws IOException {
    for (var rank : truth.get("written").properties()) {
      Files.setLastModifiedTime(
          folder.resolve("dumps").resolve("rank_" + rank.getKey()),
          FileTime.from(rank.getValue().asLong(), TimeUnit.NANOSECONDS));
    }
  }

  /** As an archive leaves dumps that keeps no parts of a second. */
  void cutTimes() throws IOException {
    for (var rank : truth.get("written").properties()) {
      Files.setLastModifiedTime(
          folder.resolve("dumps").resolve("rank_" + rank.getKey()),
          FileTime.from(rank.getValue().asLong() / 1_000_000_000, TimeUnit.SECONDS));
    }
  }

  String name() {
    return folder.getFileName().toString();
  }

  String kind() {
    return truth.get("kind").asText();
  }

  int ranks() {
    return truth.get("ranks").asInt();
  }

  /** The rank at fault; empty where none is. */
  Optional<Integer> culprit() {
    var culprit = truth.get("culprit");
    return culprit.isNull() ? Optional.empty() : Optional.of(culprit.asInt());
  }

  Path dumps() {
    return folder.resolve("dumps");
  }

  Path stacks() {
    return folder.resolve("stacks");
  }

  /** The same as agents report it. */
  List<RankEvidence> reported() {
    return IntStream.range(0, ranks()).mapToObj(this::reported).toList();
  }

  private RankEvidence reported(int rank) {
    try {
      var status = Files.readString(stacks().resolve("rank_%d.status".formatted(rank)));
      boolean stopped = status.contains("State:\tT");
      var dump = dumps().resolve("rank_" + rank);
      boolean there = Files.exists(dump);
      return new RankEvidence(
          "pod-" + rank,
          "uid-" + rank,
          rank,
          ranks(),
          stopped ? ProcessState.STOPPED : ProcessState.RUNNING,
          there ? DumpState.READ : DumpState.MISSING,
          there ? summary(dump(rank, dump), dump) : List.of(),
          List.of(),
          null,
          List.of(),
          stopped ? List.of() : stack(rank),
          there ? DumpSummary.calls(dump(rank, dump)) : null,
          null,
          List.of());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<Frame> stack(int rank) throws IOException {
    return PythonStack.read(Files.readString(stacks().resolve("rank_%d.txt".formatted(rank))));
  }

  private static List<RankEvidence.Group> summary(Dump dump, Path file) throws IOException {
    return DumpSummary.of(dump, Files.getLastModifiedTime(file).toInstant()).orElseThrow();
  }

  private static Dump dump(int rank, Path file) throws IOException {
    try {
      // What an agent reads at most.
      return new DumpReader(4 << 20, 250_000).read(rank, Files.readAllBytes(file));
    } catch (DumpException e) {
      throw new IOException(file.toString(), e);
    }
  }
}
