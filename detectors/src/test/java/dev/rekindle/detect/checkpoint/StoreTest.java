package dev.rekindle.detect.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.dcp.DcpFixture;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.s3.Stores;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checkpoints in an object store are judged as in a directory. docs/checkpoints.md says how this
 * runs against a real server.
 */
class StoreTest {
  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path directory;

  private Stores store;

  @BeforeEach
  void start() throws Exception {
    store = new Stores();
  }

  @AfterEach
  void stop() {
    store.close();
  }

  /** As a copy does that takes files in the order in which they were written. */
  private void upload(String prefix) throws Exception {
    try (var files = Files.walk(directory)) {
      var inOrder = new TreeMap<String, Path>();
      for (var file : files.filter(Files::isRegularFile).toList()) {
        inOrder.put(Files.getLastModifiedTime(file).toInstant() + file.toString(), file);
      }
      for (var file : inOrder.values()) {
        var key = prefix + "/" + directory.relativize(file);
        store.put(key, Files.readAllBytes(file), Files.getLastModifiedTime(file).toInstant());
      }
    }
  }

  private Scanner.Result scan(String prefix) throws Exception {
    return new Scanner(store.place(prefix), Scanner.Settings.USUAL).scan();
  }

  private static List<String> said(Scanner.Result result) {
    return result.checkpoints().stream()
        .map(
            f ->
                "%s %s %d %s %s"
                    .formatted(
                        f.name(),
                        f.format(),
                        f.bytes(),
                        f.verdict().kind().word(),
                        f.verdict().reason()))
        .toList();
  }

  @Test
  void judgesFoldersAsInADirectory() throws Exception {
    for (int step = 10; step <= 30; step += 10) {
      DcpFixture.write(directory.resolve("step-" + step), 2, 3, 1000, THEN.plusSeconds(step));
    }
    DcpFixture.file(directory.resolve("step-30/__1_0.distcp"), new byte[20], THEN);
    upload("team a/run+1/é%2F");

    var result = scan("team a/run+1/é%2F");

    assertThat(result.error()).isEmpty();
    assertThat(said(result))
        .isEqualTo(said(Scans.usual(directory).scan()))
        .hasSize(3)
        .first()
        .asString()
        .contains("Torn");
    assertThat(result.checkpoints().getFirst().path())
        .isEqualTo(store.url("team a/run+1/é%2F") + "/step-30");
    assertThat(scan("team a/run+1").checkpoints()).isEmpty();
  }

  @Test
  void judgesAFlatFolderOfArchivesAsInADirectory() throws Exception {
    DcpFixture.file(directory.resolve("step-1.pt"), Fixtures.torchSave(), THEN);
    DcpFixture.file(directory.resolve("step-2.pt"), Fixtures.torchSave(), THEN);
    var cut = java.util.Arrays.copyOf(Fixtures.torchSave(), 700);
    DcpFixture.file(directory.resolve("step-3.pt"), cut, THEN);
    upload("flat");

    assertThat(said(scan("flat"))).isEqualTo(said(Scans.usual(directory).scan())).hasSize(3);
  }

  static List<Path> journals() throws IOException, URISyntaxException {
    return CrashPointsTest.journals();
  }

  /** Real checkpoints of all formats; a folder has no time there, so some are Unknown. */
  @ParameterizedTest
  @MethodSource("journals")
  void judgesRealCheckpointsOfEachFormat(Path file) throws Exception {
    var points = new CrashPoints(CrashJournal.read(file), directory, 0);
    new CrashMirror(directory).show(points.last());
    upload("run");

    var there = Scans.usual(directory).scan().checkpoints();
    var here = scan("run").checkpoints();

    assertThat(here.stream().map(Found::format))
        .isEqualTo(there.stream().map(Found::format).toList());
    for (int i = 0; i < here.size(); i++) {
      var found = here.get(i);
      assertThat(found.verdict())
          .satisfiesAnyOf(
              v -> assertThat(v).isEqualTo(there.get(here.indexOf(found)).verdict()),
              v -> assertThat(v.kind()).isEqualTo(Verdict.Kind.UNKNOWN));
    }
    assertThat(here.stream().map(f -> f.verdict().kind())).doesNotContain(Verdict.Kind.TORN);
  }

  @Test
  void listsMoreThanAPage() throws Exception {
    for (int i = 0; i < 1_234; i++) {
      store.put("many/step-5/__%d_0.distcp".formatted(i), new byte[10], THEN);
    }
    store.put("many/step-5/.metadata", DcpFixture.index(0, 1_234, 1, 10), THEN.plusSeconds(1));

    var found = scan("many").checkpoints().getFirst();

    assertThat(found.bytes()).isGreaterThan(12_340);
    assertThat(found.verdict().isValid()).as(found.toString()).isTrue();
  }
}
