package dev.rekindle.detect.progress;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The words by which trainers announce that no step will come for a while: a checkpoint, an
 * evaluation, a compilation. A line that says that it is over announces nothing. Read word by word,
 * not by an expression: every line without a step comes here.
 */
final class PauseWords {
  /** What is read of a line, in characters. */
  private static final int LOOKED_AT = 256;

  private static final int SHORTEST = 4;
  private static final int LONGEST = 13;

  private static final Set<String> BEGINS =
      Set.of(
          "autotune",
          "autotuning",
          "capturing",
          "checkpointing",
          "compilation",
          "compile",
          "compiling",
          "eval",
          "evaluate",
          "evaluating",
          "evaluation",
          "generating",
          "recompiling",
          "sampling",
          "save",
          "saving",
          "testing",
          "uploading",
          "validate",
          "validating",
          "validation",
          "writing");

  private static final Set<String> OVER =
      Set.of(
          "captured",
          "compiled",
          "complete",
          "completed",
          "done",
          "ended",
          "evaluated",
          "finished",
          "loaded",
          "saved",
          "took",
          "uploaded",
          "validated",
          "written",
          "wrote");

  private PauseWords() {}

  /** For the first two letters of a word, whether any pause word begins with them. */
  private static final boolean[] BEGINNINGS = new boolean[32 * 32];

  static {
    Stream.concat(BEGINS.stream(), OVER.stream())
        .forEach(word -> BEGINNINGS[beginning(word.charAt(0), word.charAt(1))] = true);
  }

  /** Whether the line says that a pause begins. */
  static boolean announce(String line) {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    return announce(bytes, 0, bytes.length);
  }

  /** Whether the line in these bytes says that a pause begins. */
  static boolean announce(byte[] bytes, int from, int to) {
    boolean begins = false;
    int end = Math.min(to, from + LOOKED_AT);
    int start = -1;
    for (int i = from; i <= end; i++) {
      if (i < end && isLetter(bytes[i])) {
        start = start < 0 ? i : start;
        continue;
      }
      if (start >= 0
          && i - start >= SHORTEST
          && i - start <= LONGEST
          && BEGINNINGS[beginning(bytes[start], bytes[start + 1])]) {
        var word =
            new String(bytes, start, i - start, StandardCharsets.ISO_8859_1)
                .toLowerCase(Locale.ROOT);
        if (OVER.contains(word)) {
          return false;
        }
        begins |= BEGINS.contains(word);
      }
      start = -1;
    }
    return begins;
  }

  private static int beginning(int first, int second) {
    return (first & 31) * 32 + (second & 31);
  }

  private static boolean isLetter(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
}
