package dev.rekindle.detect.checkpoint.files;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/** A range of a source, read piece by piece. Closing it closes nothing. One thread. */
public final class SourceStream extends InputStream {
  private static final int PIECE = 256 * 1024;

  private final Source source;
  private final byte[] piece;
  private long next;
  private long left;
  private int at;
  private int end;

  /**
   * Begins at a position.
   *
   * @param length bytes of the range, which the source has
   */
  public SourceStream(Source source, long position, long length) {
    this.source = source;
    this.next = position;
    this.left = length;
    this.piece = new byte[(int) Math.min(PIECE, length)];
  }

  @Override
  public int read() throws IOException {
    return at < end || refill() ? Byte.toUnsignedInt(piece[at++]) : -1;
  }

  /** As in {@link InputStream}; fails as {@link Source#read} does. */
  @Override
  public int read(byte[] into, int from, int count) throws IOException {
    Objects.checkFromIndexSize(from, count, into.length);
    if (count == 0) {
      return 0;
    }
    if (at == end && !refill()) {
      return -1;
    }
    int part = Math.min(count, end - at);
    System.arraycopy(piece, at, into, from, part);
    at += part;
    return part;
  }

  private boolean refill() throws IOException {
    int length = (int) Math.min(piece.length, left);
    if (length == 0) {
      return false;
    }
    source.read(next, length).get(piece, 0, length);
    next += length;
    left -= length;
    at = 0;
    end = length;
    return true;
  }
}
