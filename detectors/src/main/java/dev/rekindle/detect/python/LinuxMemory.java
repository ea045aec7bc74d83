package dev.rekindle.detect.python;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Reads {@code /proc/PID/mem} (proc(5)), which needs {@code CAP_SYS_PTRACE}. The process continues
 * meanwhile.
 */
final class LinuxMemory implements ProcessMemory, AutoCloseable {
  /** Some hundred times what the stack of a training script takes. */
  static final int MOST_BYTES = 1 << 20;

  private final FileChannel file;
  private int left = MOST_BYTES;

  /**
   * Opens the memory.
   *
   * @param proc the proc file system of the node
   * @throws IOException when the process has ended or may not be read
   */
  LinuxMemory(Path proc, long pid) throws IOException {
    file = FileChannel.open(proc.resolve(pid + "/mem"), StandardOpenOption.READ);
  }

  @Override
  public byte[] read(long address, int bytes) throws IOException {
    if (bytes < 0 || bytes > left) {
      throw new IOException("more memory to read than allowed");
    }
    // Addresses of programs are below half of the range; others are pointers that are none.
    if (address <= 0 || address > Long.MAX_VALUE - bytes) {
      throw new IOException("not an address: 0x" + Long.toHexString(address));
    }
    left -= bytes;
    var buffer = ByteBuffer.allocate(bytes);
    while (buffer.hasRemaining()) {
      if (file.read(buffer, address + buffer.position()) < 0) {
        throw new EOFException("not mapped: 0x" + Long.toHexString(address));
      }
    }
    return buffer.array();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
