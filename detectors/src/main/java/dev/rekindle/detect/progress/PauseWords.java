package dev.rekindle.detect.progress;

import java.util.Locale;
import java.util.Set;

/**
 * The words by which trainers announce that no step will come for a while: a checkpoint, an
 * evaluation, a compilation. A line that says that it is over announces nothing. Read word by word,
 * not by an expression: every line without a step comes here.
 */
final class PauseWords {
  /** What is looked at of a line, in characters. */
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

  /** Whether the line says that a pause begins. */
  static boolean announce(String line) {
    boolean begins = false;
    int end = Math.min(line.length(), LOOKED_AT);
    int start = -1;
    for (int i = 0; i <= end; i++) {
      if (i < end && isLetter(line.charAt(i))) {
        start = start < 0 ? i : start;
        continue;
      }
      if (start >= 0 && i - start >= SHORTEST && i - start <= LONGEST) {
        var word = line.substring(start, i).toLowerCase(Locale.ROOT);
        if (OVER.contains(word)) {
          return false;
        }
        begins |= BEGINS.contains(word);
      }
      start = -1;
    }
    return begins;
  }

  private static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
}
