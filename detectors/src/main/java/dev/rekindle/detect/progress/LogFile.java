package dev.rekindle.detect.progress;

import dev.rekindle.detect.file.RegularFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One open log file of a container run; stays open over a rotation, to be read to its end. */
final class LogFile implements Closeable {
  private final FileChannel channel;
  private final @Nullable Object key;
  private long position;

  /** Opens the file; at its start, or at a bounded tail where it is longer than that. */
  LogFile(Path path, int tail) throws IOException {
    channel = RegularFile.open(path);
    key = keyOf(path);
    skipTo(tail);
  }

  /** Whether a path still leads to this file. */
  boolean isAt(Path path) throws IOException {
    return Objects.equals(key, keyOf(path));
  }

  private static @Nullable Object keyOf(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .fileKey();
  }

  /** Bytes not read yet; after a truncation, all that there is. */
  long left() throws IOException {
    var size = channel.size();
    if (size < position) {
      position = 0;
    }
    return size - position;
  }

  /** Leaves out everything but the last bytes; whether anything was left out. */
  boolean skipTo(int tail) throws IOException {
    var size = channel.size();
    if (size - position <= tail) {
      return false;
    }
    position = size - tail;
    return true;
  }

  /** Reads into an array what is there, so much at most; the number of bytes, 0 at the end. */
  int read(byte[] bytes, int most) throws IOException {
    var count = channel.read(ByteBuffer.wrap(bytes, 0, most), position);
    position += Math.max(0, count);
    return Math.max(0, count);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
