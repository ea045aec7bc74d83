package dev.rekindle.detect.checkpoint.tracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.detect.checkpoint.format.TrackerFile;
import dev.rekindle.detect.checkpoint.tracker.TrackerOutcome.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrackerWriterTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant SAVED = NOW.minusSeconds(600);
  private static final String KEPT = "latest.rekindle-before-r1-1";

  @TempDir Path temporary;
  private Path outside;
  private Path root;

  @BeforeEach
  void directory() throws IOException {
    outside = Files.createDirectories(temporary.resolve("outside"));
    root = Files.createDirectories(temporary.resolve("ckpt"));
    Files.createDirectories(root.resolve("global_step200"));
    tracker("global_step300");
  }

  private void tracker(String text) throws IOException {
    Files.writeString(root.resolve("latest"), text);
    Files.setLastModifiedTime(root.resolve("latest"), FileTime.from(SAVED));
  }

  private TrackerOutcome write() {
    return write(root.resolve("global_step200"), InstantSource.fixed(NOW));
  }

  private TrackerOutcome write(Path checkpoint, InstantSource clock) {
    var wanted = new TrackerFile("latest", "global_step200");
    return new TrackerWriter(root, checkpoint, wanted, "r1-1").write(clock, NOW.plusSeconds(60));
  }

  private Map<String, String> files() throws IOException {
    var files = new TreeMap<String, String>();
    try (var stream = Files.walk(temporary)) {
      for (var path : stream.toList()) {
        if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
          files.put(temporary.relativize(path).toString(), Files.readString(path));
        }
      }
    }
    return files;
  }

  @Test
  void shouldNameTheCheckpointAndKeepTheOldText() throws IOException {
    Files.setPosixFilePermissions(
        root.resolve("latest"), PosixFilePermissions.fromString("rw-rw----"));

    assertThat(write())
        .isEqualTo(
            new TrackerOutcome(
                Kind.REWRITTEN, "latest", "global_step300", "global_step200", KEPT, ""));

    assertThat(files())
        .containsOnly(
            Map.entry("ckpt/latest", "global_step200"),
            Map.entry("ckpt/" + KEPT, "global_step300"));
    for (var name : List.of("latest", KEPT)) {
      assertThat(Files.getLastModifiedTime(root.resolve(name)).toInstant())
          .as("the time of a tracker shows which saves ended before it")
          .isEqualTo(SAVED);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve(name))))
          .isEqualTo("rw-rw----");
    }
  }

  @Test
  void shouldChangeNothingTheSecondTime() throws IOException {
    var _ = write();
    var once = files();

    assertThat(write().kind()).isEqualTo(Kind.UNCHANGED);
    assertThat(files()).isEqualTo(once);
  }

  @ParameterizedTest
  @ValueSource(strings = {"global_step200", "global_step200\n", " global_step200 "})
  void shouldLeaveOneThatNamesItAlready(String text) throws IOException {
    tracker(text);

    assertThat(write().kind()).isEqualTo(Kind.UNCHANGED);
    assertThat(files()).containsOnlyKeys("ckpt/latest");
  }

  /** What a run leaves that is killed between two of its operations. */
  private static Stream<Arguments> leftovers() {
    return Stream.of(
        argumentSet("half of the old text", ".latest.rekindle-tmp", "globa", "global_step300"),
        argumentSet("the old text is kept", KEPT, "global_step300", "global_step300"),
        argumentSet("half of the new text", ".latest.rekindle-tmp", "global_st", "global_step300"),
        argumentSet("kept by the first of two runs", KEPT, "global_step100", "global_step100"));
  }

  @ParameterizedTest
  @MethodSource("leftovers")
  void shouldGoOnWhereARunWasCutOff(String name, String text, String kept) throws IOException {
    Files.writeString(root.resolve(name), text);

    assertThat(write().kind()).isEqualTo(Kind.REWRITTEN);
    assertThat(files())
        .containsOnly(Map.entry("ckpt/latest", "global_step200"), Map.entry("ckpt/" + KEPT, kept));
  }

  /** What a tenant may have put there. */
  interface Trap {
    void in(Path root, Path outside) throws IOException;
  }

  private static Stream<Arguments> traps() {
    return Stream.of(
        argumentSet(
            "no tracker", (Trap) (r, _) -> Files.delete(r.resolve("latest")), "there is no latest"),
        argumentSet(
            "the tracker is a link",
            (Trap)
                (r, o) -> {
                  Files.delete(r.resolve("latest"));
                  Files.createSymbolicLink(r.resolve("latest"), o.resolve("victim"));
                },
            "latest is a link, or no file"),
        argumentSet(
            "the tracker is a folder",
            (Trap)
                (r, _) -> {
                  Files.delete(r.resolve("latest"));
                  Files.createDirectory(r.resolve("latest"));
                },
            "latest is a link, or no file"),
        argumentSet(
            "the tracker is huge",
            (Trap) (r, _) -> Files.writeString(r.resolve("latest"), "9".repeat(1_001)),
            "latest has 1001 bytes, which is no tracker"),
        argumentSet(
            "the old text would follow a link",
            (Trap) (r, o) -> Files.createSymbolicLink(r.resolve(KEPT), o.resolve("victim")),
            KEPT + " is in the way"),
        argumentSet(
            "the old text would follow a link that leads nowhere",
            (Trap) (r, o) -> Files.createSymbolicLink(r.resolve(KEPT), o.resolve("nothing")),
            KEPT + " is in the way"),
        argumentSet(
            "the checkpoint is gone",
            (Trap) (r, _) -> Files.delete(r.resolve("global_step200")),
            "the checkpoint is no folder"),
        argumentSet(
            "the checkpoint is a link",
            (Trap)
                (r, o) -> {
                  Files.delete(r.resolve("global_step200"));
                  Files.createSymbolicLink(r.resolve("global_step200"), o);
                },
            "the checkpoint is no folder"),
        argumentSet(
            "a folder is where the new text is prepared",
            (Trap) (r, _) -> Files.createDirectories(r.resolve(".latest.rekindle-tmp/x")),
            "it cannot be written: DirectoryNotEmptyException"));
  }

  @ParameterizedTest
  @MethodSource("traps")
  void shouldRefuseAndChangeNothing(Trap trap, String reason) throws IOException {
    Files.writeString(outside.resolve("victim"), "untouched");
    trap.in(root, outside);
    var before = files();

    var outcome = write();

    assertThat(outcome.kind()).isEqualTo(Kind.REFUSED);
    assertThat(outcome.reason()).startsWith(reason);
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void shouldRemoveALinkThatLiesWhereTheNewTextIsPrepared() throws IOException {
    Files.writeString(outside.resolve("victim"), "untouched");
    Files.createSymbolicLink(root.resolve(".latest.rekindle-tmp"), outside.resolve("victim"));

    assertThat(write().kind()).isEqualTo(Kind.REWRITTEN);
    assertThat(Files.readString(outside.resolve("victim"))).isEqualTo("untouched");
  }

  @Test
  void shouldFollowNoLinkOnTheWay() throws IOException {
    Files.createDirectories(outside.resolve("global_step200"));
    Files.writeString(outside.resolve("latest"), "global_step300");
    Files.createSymbolicLink(root.resolve("run"), outside);

    var outcome = write(root.resolve("run/global_step200"), InstantSource.fixed(NOW));

    assertThat(outcome.reason()).isEqualTo("a link is on the way to the checkpoint");
    assertThat(Files.readString(outside.resolve("latest"))).isEqualTo("global_step300");
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", "../outside/x", "global_step200/../../outside/x", "."})
  void shouldStayInTheDirectory(String path) throws IOException {
    Files.createDirectories(outside.resolve("x"));

    var outcome = write(root.resolve(path), InstantSource.fixed(NOW));

    assertThat(outcome.reason()).isEqualTo("the checkpoint is not below the directory");
  }

  @Test
  void shouldNotWriteAFileThatTheScriptCouldNotWriteAnyMore() throws IOException {
    assumeThat(System.getProperty("user.name")).isEqualTo("root");
    Files.setAttribute(root.resolve("latest"), "unix:uid", 1234);
    var before = files();

    assertThat(write().reason())
        .isEqualTo(
            "latest belongs to user 1234, and the pod runs as user root: set runAsUser in the job");
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void shouldNotWriteOnceTheJobMayTrainAgain() throws IOException {
    var before = files();

    var outcome = write(root.resolve("global_step200"), InstantSource.fixed(NOW.plusSeconds(60)));

    assertThat(outcome.reason()).startsWith("it is too late");
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void shouldLookAtTheClockAgainRightBeforeTheRename() throws IOException {
    var times = new ArrayDeque<>(List.of(NOW, NOW.plusSeconds(61)));

    var outcome = write(root.resolve("global_step200"), times::removeFirst);

    assertThat(outcome.reason()).startsWith("it is too late");
    assertThat(Files.readString(root.resolve("latest"))).isEqualTo("global_step300");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "../x", "r1/1", "R1", "-r1"})
  void shouldTakeNoAttemptThatIsNoName(String attempt) throws IOException {
    var wanted = new TrackerFile("latest", "global_step200");
    var before = files();

    var outcome =
        new TrackerWriter(root, root.resolve("global_step200"), wanted, attempt)
            .write(InstantSource.fixed(NOW), NOW.plusSeconds(60));

    assertThat(outcome.kind()).isEqualTo(Kind.REFUSED);
    assertThat(files()).isEqualTo(before);
  }
}
