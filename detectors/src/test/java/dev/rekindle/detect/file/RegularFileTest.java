package dev.rekindle.detect.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** On the real file system. */
class RegularFileTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir Path folder;

  static Stream<Pin> pins() {
    return Stream.of(Pin.find(), Pin.BY_NAME).distinct();
  }

  private Path fifo(String name) throws IOException, InterruptedException {
    var pipe = folder.resolve(name);
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    return pipe;
  }

  private static String read(Path file, Pin pin, Runnable between) throws IOException {
    try (var in = Channels.newInputStream(RegularFile.open(file, pin, between))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @ParameterizedTest
  @MethodSource("pins")
  void shouldReadAFileOfAnyName(Pin pin) throws IOException {
    for (var name : new String[] {"plain", "a b%20#?", "ä-\u65e5"}) {
      var file = Files.writeString(folder.resolve(name), name);
      assertThat(read(file, pin, () -> {})).isEqualTo(name);
    }
    assertThat(RegularFile.read(folder.resolve("plain"), 3)).asString().isEqualTo("pla");
  }

  @ParameterizedTest
  @MethodSource("pins")
  void shouldOpenNothingButAFile(Pin pin) throws Exception {
    var target = Files.writeString(folder.resolve("target"), "x");
    var link = Files.createSymbolicLink(folder.resolve("link"), target);
    for (var other : new Path[] {fifo("pipe"), folder, link, Path.of("/dev/null")}) {
      assertThatThrownBy(() -> assertTimeoutPreemptively(LONG, () -> read(other, pin, () -> {})))
          .as("%s", other)
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("not a regular file");
    }
    for (var missing : new String[] {"none", "target/none"}) {
      assertThatThrownBy(() -> read(folder.resolve(missing), pin, () -> {}))
          .isInstanceOf(missing.equals("none") ? NoSuchFileException.class : IOException.class);
    }
  }

  /** The tenant has until the open to put a pipe there. */
  @Test
  void shouldNotWaitForAPipeThatTakesThePlaceOfAFile() throws Exception {
    Assumptions.assumeTrue(Pin.find() instanceof LinuxPin, "not Linux");
    var file = Files.writeString(folder.resolve("rank_3"), "a dump");
    var pipe = fifo("pipe");
    Runnable replace =
        () -> {
          try {
            Files.delete(file);
            Files.move(pipe, file);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    assertThat(assertTimeoutPreemptively(LONG, () -> read(file, Pin.find(), replace)))
        .isEqualTo("a dump");
  }

  @Test
  void shouldKeepNoDescriptor() throws Exception {
    Assumptions.assumeTrue(Pin.find() instanceof LinuxPin, "not Linux");
    var file = Files.writeString(folder.resolve("file"), "x");
    try (var _ = RegularFile.open(file)) {
      assertThat(descriptors()).isEqualTo(1);
    }
    var pipe = fifo("pipe");
    assertThatThrownBy(() -> RegularFile.open(pipe)).isInstanceOf(FileSystemException.class);
    assertThat(descriptors()).isZero();
  }

  /** Those that lead into the folder; others come and go. */
  private long descriptors() throws IOException {
    try (var all = Files.list(Path.of("/proc/self/fd"))) {
      return all.filter(this::leadsHere).count();
    }
  }

  private boolean leadsHere(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(folder);
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void shouldGoByTheNameWhereNothingElseIsKnown() {
    assertThat(LinuxPin.find("Mac OS X", "aarch64")).isSameAs(Pin.BY_NAME);
    assertThat(LinuxPin.find("Linux", "riscv64")).isSameAs(Pin.BY_NAME);
  }
}
