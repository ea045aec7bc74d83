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
   * Says which ranges are going to be read, so that a source that is far away may fetch them at
   * once. Changes nothing else.
   *
   * @param positions where they begin, in rising order
   * @param length bytes of each
   */
  default void ahead(long[] positions, int length) throws IOException {}

  /**
   * The bytes of a range, little-endian as zip, safetensors and pickle want it.
   *
   * @throws EOFException when the file ends before the range does
   * @throws LimitException when the scan has read as much as it may
   */
  ByteBuffer read(long position, int length) throws IOException;
}
