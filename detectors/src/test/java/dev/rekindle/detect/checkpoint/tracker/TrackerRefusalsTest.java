package dev.rekindle.detect.checkpoint.tracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.detect.checkpoint.format.TrackerFile;
import dev.rekindle.detect.checkpoint.tracker.TrackerOutcome.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a tracker is left as it is. */
class TrackerRefusalsTest extends TrackerWriterFixture {
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
  void shouldReadTheClockAgainRightBeforeTheRename() throws IOException {
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
