package dev.rekindle.detect.kmsg;

import java.io.IOException;
import java.util.OptionalLong;

/** How far the kernel log was worked through, where it outlives the process. */
public interface CursorStore {
  /**
   * Sequence number of the newest record that was worked on, or empty where there is none of this
   * boot: sequence numbers of another boot mean nothing.
   *
   * @throws IOException when there is something that cannot be read or is not a cursor
   */
  OptionalLong read(String bootId) throws IOException;

  /**
   * Replaces it; it outlives a crash when this returns.
   *
   * @throws IOException when it cannot be written
   */
  void write(String bootId, long sequence) throws IOException;
}
