package dev.rekindle.detect.checkpoint.files;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;

/** Reads exact ranges of a file of this machine. */
final class LocalSource implements Source {
  private final FileChannel channel;
  private final long size;

  LocalSource(FileChannel channel) throws IOException {
    this.channel = channel;
    this.size = channel.size();
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public ByteBuffer read(long position, int length) throws IOException {
    // Before the memory is taken: lengths come from the file.
    if (position < 0 || length < 0 || position > size - length) {
      throw new EOFException("the file ends before what it says it holds");
    }
    var buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, position + buffer.position()) < 0) {
        throw new EOFException("the file became shorter while it was read");
      }
    }
    return buffer.flip();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
