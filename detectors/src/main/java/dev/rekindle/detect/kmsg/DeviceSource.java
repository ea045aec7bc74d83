package dev.rekindle.detect.kmsg;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The character device: every read gives exactly one record, oldest first, and waits for the next
 * one. A file channel is used because closing it from another thread ends a read that waits.
 */
final class DeviceSource implements RecordSource {
  private final FileChannel channel;
  // One byte more than a record may have, so that a longer one is distinguished from one that just
  // fits.
  private final byte[] bytes = new byte[KmsgParser.MAX_BYTES + 1];

  DeviceSource(Path device) throws IOException {
    channel = FileChannel.open(device, StandardOpenOption.READ);
  }

  @Override
  public int next() throws IOException {
    try {
      var length = channel.read(ByteBuffer.wrap(bytes));
      if (length < 0) {
        throw new IOException("the kernel log ended");
      }
      return length;
    } catch (IOException e) {
      // EPIPE has no type of its own in Java; the JDK passes on the text of strerror(3).
      if ("Broken pipe".equals(e.getMessage())) {
        return OVERWRITTEN;
      }
      throw e;
    }
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
