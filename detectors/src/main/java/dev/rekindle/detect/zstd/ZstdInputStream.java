package dev.rekindle.detect.zstd;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Objects;

/**
 * Decompresses one frame of Zstandard (RFC 8878), block by block. Memory is bounded by the window,
 * of which at most {@link #LONGEST_WINDOW} bytes are kept, and four blocks. Dictionaries and frames
 * to be skipped are refused, and checksums of frames are read but not compared: what uses this has
 * its own. One thread.
 */
public final class ZstdInputStream extends InputStream {
  /** Matches may lie this many bytes back; levels up to 19 of {@code zstd} need no more. */
  public static final int LONGEST_WINDOW = 8 * 1024 * 1024;

  static final int LONGEST_BLOCK = 128 * 1024;

  private static final int MAGIC = 0xfd2fb528;
  private static final int RAW = 0;
  private static final int RLE = 1;
  private static final int COMPRESSED = 2;

  private final InputStream in;
  private final long most;
  private final byte[] block = new byte[LONGEST_BLOCK + Bytes.PADDING];
  private final Literals literals = new Literals();
  private final Sequences sequences = new Sequences();
  private final Output output = new Output();
  private byte[] window = new byte[2 * LONGEST_BLOCK];
  private boolean begun;
  private boolean ended;
  private boolean hasChecksum;
  private long length = -1;
  private long windowSize;
  private long decoded;

  /** The first byte in {@link #window} that was not read, and the end of what is decoded. */
  private int at;

  private int end;

  /** Puts what is decoded at the end of the window. */
  private final class Output implements Sequences.Sink {
    private int literal;

    @Override
    public void literals(int count) throws ZstdException {
      if (count > literals.length() - literal) {
        throw new ZstdException("a block has too few literals");
      }
      room(count);
      System.arraycopy(literals.array(), literal, window, end, count);
      literal += count;
      end += count;
    }

    @Override
    public void match(int distance, int length) throws ZstdException {
      if (distance > end || distance > windowSize) {
        throw new ZstdException("a match lies " + distance + " bytes back, outside the window");
      }
      room(length);
      for (int to = end + length; end < to; end++) {
        window[end] = window[end - distance];
      }
    }

    /** A block gives no more than a block's length. */
    private void room(int count) throws ZstdException {
      if (count > LONGEST_BLOCK - (end - at)) {
        throw new ZstdException("a block is longer than one may be");
      }
    }
  }

  /**
   * Reads a frame.
   *
   * @param in where it begins
   * @param most bytes that it may have, decompressed
   */
  public ZstdInputStream(InputStream in, long most) {
    this.in = in;
    this.most = most;
  }

  /**
   * As in {@link InputStream}.
   *
   * @throws ZstdException when the bytes are no Zstandard, want more than is kept, or are too many
   * @throws EOFException when they end within the frame
   */
  @Override
  public int read(byte[] into, int from, int count) throws IOException {
    Objects.checkFromIndexSize(from, count, into.length);
    if (count == 0) {
      return 0;
    }
    while (at == end) {
      if (ended) {
        return -1;
      }
      nextBlock();
    }
    int part = Math.min(count, end - at);
    System.arraycopy(window, at, into, from, part);
    at += part;
    return part;
  }

  @Override
  public int read() throws IOException {
    var one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  private void nextBlock() throws IOException {
    if (!begun) {
      header();
      begun = true;
    }
    makeRoom();
    int header = (int) number(3);
    int size = header >>> 3;
    if (size > Math.min(LONGEST_BLOCK, Math.max(windowSize, 1))) {
      throw new ZstdException("a block of " + size + " bytes");
    }
    switch (header >>> 1 & 3) {
      case RAW -> {
        fill(window, end, size);
        end += size;
      }
      case RLE -> {
        Arrays.fill(window, end, end + size, (byte) number(1));
        end += size;
      }
      case COMPRESSED -> compressed(size);
      default -> throw new ZstdException("a block of a reserved kind");
    }
    decoded += end - at;
    if (decoded > most) {
      throw new ZstdException("more than " + most + " bytes");
    }
    if ((header & 1) != 0) {
      end();
    }
  }

  private void compressed(int size) throws IOException {
    fill(block, 0, size);
    var bytes = new Bytes(block, size);
    literals.read(bytes);
    output.literal = 0;
    sequences.read(bytes, output);
    output.literals(literals.length() - output.literal);
  }

  private void end() throws IOException {
    if (length >= 0 && decoded != length) {
      throw new ZstdException(decoded + " bytes, and says " + length);
    }
    if (hasChecksum) {
      number(4);
    }
    ended = true;
  }

  private void header() throws IOException {
    if ((int) number(4) != MAGIC) {
      throw new ZstdException("does not begin as Zstandard");
    }
    int descriptor = (int) number(1);
    boolean single = (descriptor & 32) != 0;
    hasChecksum = (descriptor & 4) != 0;
    if ((descriptor & 8) != 0) {
      throw new ZstdException("a reserved bit is set");
    }
    if (!single) {
      int size = (int) number(1);
      long base = 1L << (10 + (size >>> 3));
      windowSize = base + base / 8 * (size & 7);
    }
    int dictionary = descriptor & 3;
    if (dictionary != 0 && number(1 << (dictionary - 1)) != 0) {
      throw new ZstdException("needs a dictionary");
    }
    length =
        switch (descriptor >>> 6) {
          case 0 -> single ? number(1) : -1;
          case 1 -> number(2) + 256;
          case 2 -> number(4);
          default -> number(8);
        };
    if (length < -1 || length > most) {
      throw new ZstdException(Long.toUnsignedString(length) + " bytes, more than " + most);
    }
    if (single) {
      windowSize = length;
    }
    windowSize = Math.min(windowSize, LONGEST_WINDOW);
  }

  /** Room for one more block; what lies further back than the window is let go. */
  private void makeRoom() {
    if (window.length - end >= LONGEST_BLOCK) {
      return;
    }
    int kept = (int) Math.min(end, windowSize);
    int size = 2 * kept + LONGEST_BLOCK;
    var to = window.length < size ? new byte[size] : window;
    System.arraycopy(window, end - kept, to, 0, kept);
    window = to;
    at = kept;
    end = kept;
  }

  private long number(int bytes) throws IOException {
    long value = 0;
    for (int i = 0; i < bytes; i++) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("Zstandard ends too early");
      }
      value |= (long) next << (8 * i);
    }
    return value;
  }

  private void fill(byte[] into, int from, int count) throws IOException {
    if (in.readNBytes(into, from, count) < count) {
      throw new EOFException("Zstandard ends too early");
    }
  }
}
