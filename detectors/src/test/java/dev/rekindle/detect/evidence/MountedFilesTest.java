package dev.rekindle.detect.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On the real kernel; the root of the container is a folder. */
class MountedFilesTest {
  private static final long PID = 7;

  @TempDir Path directory;
  private Path root = Path.of("/replaced");
  private MountedFiles files = new MountedFiles(Path.of("/proc"));

  @BeforeEach
  void container() throws IOException {
    root = Files.createDirectories(directory.resolve("proc/7/root"));
    Files.createSymbolicLink(directory.resolve("proc/self"), Path.of("/proc/self"));
    files = new MountedFiles(directory.resolve("proc"));
    Files.createDirectories(root.resolve("tmp"));
  }

  private void fifo(String name) throws IOException, InterruptedException {
    var made = new ProcessBuilder("mkfifo", root.resolve(name).toString()).inheritIO().start();
    assertThat(made.waitFor()).isZero();
  }

  @Test
  void shouldReadAFileAndNoMoreThanAsked() throws IOException {
    Files.writeString(root.resolve("tmp/rank_3"), "0123456789");
    assertThat(files.read(PID, "/tmp/rank_3", 100)).asString().isEqualTo("0123456789");
    assertThat(files.read(PID, "/tmp/rank_3", 4)).asString().isEqualTo("0123");
    var stamp = files.stamp(PID, "/tmp/rank_3").orElseThrow();
    assertThat(stamp.size()).isEqualTo(10);
    assertThat(files.stamp(PID, "/tmp/rank_3")).contains(stamp);
    Files.delete(root.resolve("tmp/rank_3"));
    Files.writeString(root.resolve("tmp/rank_3"), "012345678");
    assertThat(files.stamp(PID, "/tmp/rank_3")).isPresent().isNotEqualTo(Optional.of(stamp));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/tmp/none", "/none/none", "/tmp", "/tmp/empty", "/tmp/null"})
  void shouldSeeNothingWhereThereIsNoFileWithContent(String path) throws IOException {
    Files.createFile(root.resolve("tmp/empty"));
    Files.createSymbolicLink(root.resolve("tmp/null"), Path.of("/dev/null"));
    assertThat(files.stamp(PID, path)).isEmpty();
    assertThatThrownBy(() -> files.read(PID, path, 9)).isInstanceOf(IOException.class);
    assertThat(files.poke(PID, path)).isFalse();
    assertThat(files.isRead(PID, path)).isFalse();
  }

  /** The container's own links are taken as the container takes them. */
  @Test
  void shouldNotLeaveTheContainer() throws IOException {
    Files.writeString(directory.resolve("secret"), "of the node");
    Files.writeString(root.resolve("tmp/own"), "own");
    Files.createSymbolicLink(root.resolve("tmp/out"), directory.resolve("secret"));
    Files.createSymbolicLink(root.resolve("tmp/up"), Path.of("../../../../secret"));
    Files.createSymbolicLink(root.resolve("tmp/in"), Path.of("/tmp/own"));
    for (var path : new String[] {"/tmp/out", "/tmp/up", "/../../secret", "../../secret"}) {
      assertThat(files.stamp(PID, path)).as(path).isEmpty();
    }
    assertThat(files.read(PID, "/tmp/in", 9)).asString().isEqualTo("own");
  }

  @Test
  void shouldNeitherWaitForAPipeNorReadIt() throws IOException, InterruptedException {
    fifo("tmp/7.pipe");
    assertThat(files.stamp(PID, "/tmp/7.pipe")).isEmpty();
    assertThatThrownBy(() -> files.read(PID, "/tmp/7.pipe", 9)).isInstanceOf(IOException.class);
    assertThat(files.poke(PID, "/tmp/7.pipe")).as("nothing reads it").isFalse();
    assertThat(files.isRead(PID, "/tmp/7.pipe")).isFalse();
  }

  @Test
  void shouldWriteNothingWhenItChecksForAReader() throws IOException, InterruptedException {
    fifo("tmp/7.pipe");
    try (var reader = new RandomAccessFile(root.resolve("tmp/7.pipe").toFile(), "rw")) {
      assertThat(files.isRead(PID, "/tmp/7.pipe")).isTrue();
      reader.write(7);
      assertThat(reader.read()).as("the first byte in the pipe").isEqualTo(7);
    }
    assertThat(files.isRead(PID, "/tmp/7.pipe")).isFalse();
  }

  @Test
  void shouldWakeTheReaderOfAPipe() throws IOException, InterruptedException {
    fifo("tmp/7.pipe");
    // Opened for both, it waits for no other end.
    try (var reader = new RandomAccessFile(root.resolve("tmp/7.pipe").toFile(), "rw")) {
      assertThat(files.poke(PID, "/tmp/7.pipe")).isTrue();
      assertThat(reader.read()).isZero();
      for (int i = 0; i < 70_000; i++) {
        assertThat(files.poke(PID, "/tmp/7.pipe")).as("full is as good").isTrue();
      }
    }
  }

  @Test
  void shouldWriteToNothingButPipes() throws IOException {
    Files.writeString(root.resolve("tmp/file"), "kept");
    assertThat(files.poke(PID, "/tmp/file")).isFalse();
    assertThat(root.resolve("tmp/file")).hasContent("kept");
  }

  @Test
  void shouldSayThatAContainerIsGone() throws IOException {
    assertThat(files.stamp(8, "/tmp/file")).isEmpty();
    assertThat(files.poke(8, "/tmp/file")).isFalse();
  }

  /** Its files have no length, and to read some of them changes something. */
  @Test
  void shouldLeaveFilesOfProc() throws IOException {
    var own = new MountedFiles(Path.of("/proc"));
    long pid = ProcessHandle.current().pid();
    assertThat(own.stamp(pid, "/proc/cmdline")).isEmpty();
    assertThat(own.stamp(pid, "/proc/self/exe")).as("a magic link").isEmpty();
  }
}
