package dev.rekindle.detect.kmsg;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;

/**
 * How far the kernel log was worked through, kept in a file: boot id and sequence number of the
 * newest record that the sink took. A write replaces the file as a whole, so that a crash leaves
 * the old one or the new one.
 */
final class Cursor implements CursorStore {
  private static final String VERSION = "kmsg-cursor-1";
  private final Path file;

  Cursor(Path file) {
    this.file = file;
  }

  @Override
  public OptionalLong read(String bootId) throws IOException {
    String text;
    try {
      if (Files.size(file) > 1024) {
        throw new IOException(file + " is too big to be a cursor");
      }
      text = Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException firstStart) {
      return OptionalLong.empty();
    }
    var words = text.strip().split(" ", -1);
    if (words.length != 3 || !words[0].equals(VERSION)) {
      throw new IOException(file + " does not hold a cursor");
    }
    try {
      var sequence = Long.parseLong(words[2]);
      return words[1].equals(bootId) ? OptionalLong.of(sequence) : OptionalLong.empty();
    } catch (NumberFormatException e) {
      throw new IOException(file + " does not hold a cursor", e);
    }
  }

  @Override
  public void write(String bootId, long sequence) throws IOException {
    var temporary = file.resolveSibling(file.getFileName() + ".tmp");
    var text = VERSION + " " + bootId + " " + sequence + "\n";
    try (var channel =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(
        temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
