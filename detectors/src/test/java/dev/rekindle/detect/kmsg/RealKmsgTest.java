package dev.rekindle.detect.kmsg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real device of this machine, and a real record through the real kernel. */
class RealKmsgTest {
  private static final Path DEVICE = Path.of("/dev/kmsg");
  @TempDir Path state;

  @Test
  void shouldReadBootAndFollowWrittenRecordWhenDeviceIsReal() throws IOException {
    assumeTrue(Files.exists(DEVICE), "this machine has no /dev/kmsg");
    assumeTrue(canOpen(StandardOpenOption.READ), "/dev/kmsg may not be read here");
    var boot = Boot.read(Path.of("/proc"), InstantSource.system());
    try (var run = new ReaderFixture(DEVICE, state, boot.id(), (kmsg, time) -> false)) {
      ReaderFixture.await("a first record", () -> !run.got.isEmpty());
      assertThat(run.got.getFirst().text()).isNotEmpty();
      assumeTrue(
          canOpen(StandardOpenOption.WRITE), "/dev/kmsg may not be written here (not root?)");

      var text = "rekindle test " + UUID.randomUUID();
      var written = Instant.now();
      // As the kernel itself would say it: facility 0.
      write("<6>" + text + "\\\n");
      ReaderFixture.await("our own record", () -> run.reader.statistics().foreign() > 0);
      assertThat(run.got).as("a process's word").noneMatch(r -> r.text().contains(text));
      assertThat(run.reader.statistics().malformed()).isZero();

      var kmsg = find(text);
      assertThat(kmsg.facility()).as("as the kernel has put it").isNotZero();
      assertThat(kmsg.level()).isEqualTo(6);
      assertThat(kmsg.text())
          .as("the kernel escapes a backslash, we undo it")
          .isEqualTo(text + "\\");
      assertThat(boot.timeOf(kmsg))
          .isBetween(written.minus(Duration.ofSeconds(2)), written.plus(Duration.ofSeconds(2)));
    }
  }

  private static KmsgRecord find(String text) throws IOException {
    try (var source = new DeviceSource(DEVICE)) {
      while (true) {
        var length = source.next();
        if (length != RecordSource.OVERWRITTEN
            && KmsgParser.parse(source.bytes(), length) instanceof KmsgRecord kmsg
            && kmsg.text().contains(text)) {
          return kmsg;
        }
      }
    }
  }

  private static void write(String record) throws IOException {
    try (var channel = FileChannel.open(DEVICE, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(record.getBytes(StandardCharsets.UTF_8)));
    }
  }

  private static boolean canOpen(StandardOpenOption how) {
    try (var channel = FileChannel.open(DEVICE, how)) {
      return channel.isOpen();
    } catch (IOException e) {
      return false;
    }
  }
}
