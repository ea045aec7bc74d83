package dev.rekindle.detect.progress;

import dev.rekindle.detect.progress.LogPiece.Stamp;
import java.util.Arrays;

/**
 * Makes pieces of a container log: bytes to lines, parts of a stream to one line, and a line to
 * what stands between its carriage returns. What goes beyond {@link #MAX_LINE} is cut off, as a
 * line without end must not cost memory without end. A bar that never ends its line is given out as
 * far as it goes: up to the newest carriage return.
 */
final class LineJoiner {
  /** Longest piece kept, in bytes. */
  static final int MAX_LINE = 16 * 1024;

  /**
   * Pieces of one line that are given out beside the first: the newest. A bar says with each what
   * it has said before; what is written over a bar stands behind it.
   */
  static final int NEWEST = 8;

  // A full line of the runtime is 16 KiB and the stamp before it.
  private static final int MAX_RAW = MAX_LINE + 256;

  private final Part stdout = new Part();
  private final Part stderr = new Part();
  private byte[] raw = new byte[0];
  private int length;

  /** Gets pieces. */
  @FunctionalInterface
  interface Sink {
    /** Takes one piece; blank ones are left out. */
    void piece(LogPiece piece);
  }

  /** What is known of a line that continues. */
  private static final class Part {
    byte[] bytes = new byte[0];
    int length;

    void append(byte[] more, int from, int to) {
      int count = Math.min(to - from, 2 * MAX_LINE - length);
      if (length + count > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(length + count, Math.min(2 * length, 2 * MAX_LINE)));
      }
      System.arraycopy(more, from, bytes, length, count);
      length += count;
    }

    /** The position of the newest carriage return; -1 without one. */
    int newestReturn() {
      int at = length - 1;
      while (at >= 0 && bytes[at] != '\r') {
        at--;
      }
      return at;
    }

    void keepFrom(int from) {
      int kept = Math.min(length - from, MAX_LINE);
      System.arraycopy(bytes, from, bytes, 0, kept);
      length = kept;
    }
  }

  /** Takes the first {@code count} bytes of an array and gives out the pieces that they end. */
  void add(byte[] bytes, int count, Sink sink) {
    int from = 0;
    for (int i = 0; i < count; i++) {
      if (bytes[i] != '\n') {
        continue;
      }
      if (length == 0) {
        line(bytes, from, Math.min(i, from + MAX_RAW), sink);
      } else {
        keep(bytes, from, i);
        int end = length;
        length = 0;
        line(raw, 0, end, sink);
      }
      from = i + 1;
    }
    keep(bytes, from, count);
  }

  private void keep(byte[] bytes, int from, int to) {
    int count = Math.min(to - from, MAX_RAW - length);
    if (length + count > raw.length) {
      raw = Arrays.copyOf(raw, Math.max(length + count, Math.min(2 * raw.length, MAX_RAW)));
    }
    System.arraycopy(bytes, from, raw, length, count);
    length += count;
  }

  private void line(byte[] bytes, int from, int to, Sink sink) {
    var line = CriLine.parse(bytes, from, to);
    if (line == null) {
      return;
    }
    var part = line.stderr() ? stderr : stdout;
    if (part.length == 0 && !line.partial()) {
      pieces(bytes, line.text(), to, line.stamp(), false, sink);
      return;
    }
    part.append(bytes, line.text(), to);
    int end = line.partial() ? part.newestReturn() : part.length;
    if (end > 0) {
      pieces(part.bytes, 0, end, line.stamp(), line.partial(), sink);
    }
    part.keepFrom(Math.max(end, 0));
  }

  private static void pieces(
      byte[] bytes, int from, int to, Stamp stamp, boolean partial, Sink sink) {
    int start = beginOf(bytes, from, to);
    if (start == from) {
      piece(bytes, from, to, stamp, partial, sink);
      return;
    }
    int[] starts = new int[NEWEST];
    int[] ends = new int[NEWEST];
    int count = 0;
    int end = to;
    while (end > from && count < NEWEST) {
      start = beginOf(bytes, from, end);
      if (start < end) {
        starts[count] = start;
        ends[count++] = end;
      }
      end = start - 1;
    }
    int first = from;
    while (first < end && bytes[first] == '\r') {
      first++;
    }
    if (first < end) {
      int firstEnd = first;
      while (firstEnd < end && bytes[firstEnd] != '\r') {
        firstEnd++;
      }
      piece(bytes, first, firstEnd, stamp, partial, sink);
    }
    for (int i = count - 1; i >= 0; i--) {
      piece(bytes, starts[i], ends[i], stamp, partial, sink);
    }
  }

  /** Where the piece begins that ends there. */
  private static int beginOf(byte[] bytes, int from, int end) {
    int at = end;
    while (at > from && bytes[at - 1] != '\r') {
      at--;
    }
    return at;
  }

  private static void piece(
      byte[] bytes, int from, int to, Stamp stamp, boolean partial, Sink sink) {
    if (from < to) {
      sink.piece(new LogPiece(bytes, from, Math.min(to, from + MAX_LINE), stamp, partial));
    }
  }

  /** Forgets everything unfinished: what comes next does not continue it. */
  void reset() {
    length = 0;
    stdout.length = 0;
    stderr.length = 0;
  }
}
