package dev.rekindle.detect.kmsg;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A regular file with the framing of the kernel log, one record a line, that something appends to.
 * Truncated or replaced, it is read from its start again; sequence numbers go on growing then, as
 * the kernel's do, and a number that was seen is not delivered twice.
 */
final class FileSource implements RecordSource {
  private final Path file;
  private final FileChannel channel;
  private final @Nullable Object fileKey;
  private final ByteBuffer chunk = ByteBuffer.allocate(64 * 1024).flip();
  private final byte[] bytes = new byte[KmsgParser.MAX_BYTES + 1];
  private int length;
  private boolean tooLong;

  FileSource(Path file) throws IOException {
    this.file = file;
    channel = FileChannel.open(file, StandardOpenOption.READ);
    fileKey = key();
  }

  @Override
  public int next() throws IOException {
    while (true) {
      while (chunk.hasRemaining()) {
        var next = chunk.get();
        if (next != '\n') {
          append(next);
          continue;
        }
        var lineLength = tooLong ? bytes.length : length;
        // A line that starts with a space continues the record before it, which is delivered.
        var isRecord = lineLength > 0 && bytes[0] != ' ';
        length = 0;
        tooLong = false;
        if (isRecord) {
          return lineLength;
        }
      }
      if (!fill()) {
        return NOTHING;
      }
    }
  }

  private void append(byte next) {
    if (length < bytes.length) {
      bytes[length++] = next;
    } else {
      tooLong = true;
    }
  }

  private boolean fill() throws IOException {
    if (channel.size() < channel.position()) {
      channel.position(0);
      length = 0;
      tooLong = false;
    }
    chunk.clear();
    var read = channel.read(chunk);
    chunk.flip();
    if (read > 0) {
      return true;
    }
    if (!Objects.equals(fileKey, key())) {
      throw new NoSuchFileException(file.toString(), null, "was replaced by another file");
    }
    return false;
  }

  private @Nullable Object key() throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  @Override
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
