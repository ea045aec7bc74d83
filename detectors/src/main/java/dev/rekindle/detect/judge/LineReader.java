package dev.rekindle.detect.judge;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Lines of a stream of any size and content; what a line has beyond 64 KiB is left out. */
final class LineReader {
  private static final int LONGEST = 64 * 1024;

  private final InputStream stream;
  private final byte[] chunk = new byte[64 * 1024];
  private final byte[] line = new byte[LONGEST];
  private int at;
  private int end;

  LineReader(InputStream stream) {
    this.stream = stream;
  }

  /** The next line without its line feed; null at the end. */
  @Nullable String next() throws IOException {
    int length = 0;
    boolean any = false;
    while (true) {
      if (at == end) {
        at = 0;
        end = Math.max(0, stream.read(chunk));
        if (end == 0) {
          return any ? text(length) : null;
        }
      }
      any = true;
      byte next = chunk[at++];
      if (next == '\n') {
        return text(length);
      }
      if (length < LONGEST) {
        line[length++] = next;
      }
    }
  }

  private String text(int length) {
    return new String(line, 0, length, StandardCharsets.UTF_8);
  }
}
