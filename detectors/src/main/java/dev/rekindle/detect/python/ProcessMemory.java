package dev.rekindle.detect.python;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The memory of a process that may run meanwhile: what is read may be torn, and nothing read from
 * it is to be trusted. Little-endian, 64 bits.
 */
interface ProcessMemory {
  /**
   * Reads all of a range.
   *
   * @throws IOException where it is not mapped, or more was read than is allowed
   */
  byte[] read(long address, int bytes) throws IOException;

  /** A pointer, or another value of 64 bits. */
  default long pointer(long address) throws IOException {
    return words(address, Long.BYTES).getLong(0);
  }

  /** A value of 32 bits. */
  default int word(long address) throws IOException {
    return words(address, Integer.BYTES).getInt(0);
  }

  /** A range to take numbers of. */
  default ByteBuffer words(long address, int bytes) throws IOException {
    return ByteBuffer.wrap(read(address, bytes)).order(ByteOrder.LITTLE_ENDIAN);
  }
}
