package dev.rekindle.detect.kmsg;

import java.io.Closeable;
import java.io.IOException;

/** Where raw records come from, one at a time. */
sealed interface RecordSource extends Closeable permits DeviceSource, FileSource {
  /**
   * Puts the next record into the buffer of {@link #bytes()}.
   *
   * @return its length in bytes; {@link #NOTHING} when none is there yet; {@link #OVERWRITTEN} when
   *     the kernel dropped records that were not read in time
   * @throws IOException when reading fails; the source is to be closed and opened again
   */
  int next() throws IOException;

  /** The buffer that {@link #next} fills; valid up to the length it returned. */
  byte[] bytes();

  /** Whether {@link #next} waits by itself until there is a record. */
  boolean waits();

  int NOTHING = -1;
  int OVERWRITTEN = -2;
}
