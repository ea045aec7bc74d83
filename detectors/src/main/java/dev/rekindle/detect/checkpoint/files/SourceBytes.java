package dev.rekindle.detect.checkpoint.files;

import java.io.IOException;

/** Reads a source from a position to its end, one buffer after the other. Used by one thread. */
public final class SourceBytes {
  private final Source source;
  private long at;

  /** Begins at that position. */
  public SourceBytes(Source source, long at) {
    this.source = source;
    this.at = at;
  }

  /**
   * Fills the buffer as far as the source has bytes.
   *
   * @return how many bytes were read; 0 or less at the end
   * @throws IOException as {@link Source#read} does
   */
  public int fill(byte[] into) throws IOException {
    int length = (int) Math.min(into.length, source.size() - at);
    if (length > 0) {
      source.read(at, length).get(into, 0, length);
      at += length;
    }
    return length;
  }
}
