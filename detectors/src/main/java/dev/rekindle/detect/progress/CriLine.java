package dev.rekindle.detect.progress;

import dev.rekindle.detect.progress.LogPiece.Stamp;
import org.jspecify.annotations.Nullable;

/**
 * One line of a container log as the runtime writes it: {@code <time> stdout|stderr <tags> <text>},
 * where the first tag is {@code F} for a full line and {@code P} for a piece of one (Kubernetes CRI
 * logging design). Whether the time is valid is checked where it is used.
 *
 * @param stamp the runtime's stamp
 * @param stderr whether it came from standard error
 * @param partial whether the line continues in the next piece of the same stream
 * @param text the first byte of the text
 */
record CriLine(Stamp stamp, boolean stderr, boolean partial, int text) {
  private static final int STREAM = "stdout".length();

  /** The parts of a line without its line break; null when it is not one. */
  static @Nullable CriLine parse(byte[] bytes, int from, int to) {
    int timeEnd = space(bytes, from, to);
    int tags = timeEnd + 1 + STREAM + 1;
    if (tags >= to || bytes[tags - 1] != ' ' || !(bytes[tags] == 'F' || bytes[tags] == 'P')) {
      return null;
    }
    boolean stderr = bytes[timeEnd + 4] == 'e';
    if (!matches(bytes, timeEnd + 1, stderr ? "stderr" : "stdout")) {
      return null;
    }
    if (tags + 1 < to && bytes[tags + 1] != ' ' && bytes[tags + 1] != ':') {
      return null;
    }
    int tagsEnd = space(bytes, tags, to);
    return new CriLine(
        new Stamp(bytes, from, timeEnd), stderr, bytes[tags] == 'P', Math.min(tagsEnd + 1, to));
  }

  private static int space(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && bytes[at] != ' ') {
      at++;
    }
    return at;
  }

  private static boolean matches(byte[] bytes, int from, String text) {
    for (int i = 0; i < text.length(); i++) {
      if (bytes[from + i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
