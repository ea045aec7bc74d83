package dev.rekindle.detect.checkpoint;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;

/** Reads exact ranges of a file, little-endian as zip wants it. */
final class TailReader {
  private final FileChannel channel;

  TailReader(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * The bytes of a range.
   *
   * @throws EOFException when the file ends before the range does
   */
  ByteBuffer read(long position, int length) throws IOException {
    var buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, position + buffer.position()) < 0) {
        throw new EOFException("the file became shorter while it was read");
      }
    }
    return buffer.flip();
  }
}
