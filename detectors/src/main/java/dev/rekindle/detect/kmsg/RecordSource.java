package dev.rekindle.detect.kmsg;

import java.io.Closeable;
import java.io.IOException;

/**
 * Where raw records come from, one at a time, framed as {@code /dev/kmsg} does. {@link #next}
 * either waits for a record or says that there is none yet.
 */
public interface RecordSource extends Closeable {
  /** Opens a source, from its oldest record on. */
  @FunctionalInterface
  interface Opener {
    /**
     * Opens it.
     *
     * @throws IOException when it cannot be opened now
     */
    RecordSource open() throws IOException;
  }

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

  /** There is no record yet. */
  int NOTHING = -1;

  /** The kernel dropped records that were not read in time. */
  int OVERWRITTEN = -2;
}
