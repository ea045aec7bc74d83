package dev.rekindle.detect.progress;

import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * Makes whole lines of a container log: bytes to lines, pieces of a stream to one line. What goes
 * beyond {@link #MAX_LINE} is cut off, as a line without end must not cost memory without end.
 */
final class LineJoiner {
  /** Longest line kept, in characters. */
  static final int MAX_LINE = 16 * 1024;

  // A full line of the runtime is 16 KiB and the stamp before it.
  private static final int MAX_RAW = MAX_LINE + 256;

  private final byte[] raw = new byte[MAX_RAW];
  private final StringBuilder stdout = new StringBuilder();
  private final StringBuilder stderr = new StringBuilder();
  private int length;

  /** Gets whole lines. */
  @FunctionalInterface
  interface Sink {
    /** Takes one line with the stamp of its last piece. */
    void line(Instant time, String text);
  }

  /** Takes the first {@code count} bytes of an array and gives out the lines that they end. */
  void add(byte[] bytes, int count, Sink sink) {
    for (int i = 0; i < count; i++) {
      if (bytes[i] != '\n') {
        if (length < MAX_RAW) {
          raw[length++] = bytes[i];
        }
        continue;
      }
      var line = CriLine.parse(new String(raw, 0, length, StandardCharsets.UTF_8));
      length = 0;
      line.ifPresent(whole -> join(whole, sink));
    }
  }

  private void join(CriLine line, Sink sink) {
    var joined = line.stderr() ? stderr : stdout;
    joined.append(line.text(), 0, Math.min(line.text().length(), MAX_LINE - joined.length()));
    if (!line.partial()) {
      sink.line(line.time(), joined.toString());
      joined.setLength(0);
    }
  }

  /** Forgets everything unfinished: what comes next does not continue it. */
  void reset() {
    length = 0;
    stdout.setLength(0);
    stderr.setLength(0);
  }
}
