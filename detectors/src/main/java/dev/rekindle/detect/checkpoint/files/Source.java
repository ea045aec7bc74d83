package dev.rekindle.detect.checkpoint.files;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that is open, of which exact ranges are read. */
public interface Source extends Closeable {
  /** Its size in bytes when it was opened. */
  long size();

  /**
   * The bytes of a range, little-endian as zip, safetensors and pickle want it.
   *
   * @throws EOFException when the file ends before the range does
   * @throws LimitException when the look has read as much as it may
   */
  ByteBuffer read(long position, int length) throws IOException;
}
