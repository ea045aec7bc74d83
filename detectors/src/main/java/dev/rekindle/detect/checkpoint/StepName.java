package dev.rekindle.detect.checkpoint;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The step in the name of a checkpoint file: the number after the last {@code step}, {@code iter}
 * or {@code iteration}, with {@code -}, {@code _}, {@code =} or nothing between; in a name without
 * such a word, its last number. The ending of the name does not count. So {@code step-00000050.pt},
 * {@code checkpoint_50.pt}, {@code epoch_3_step_50.pt} and {@code epoch=3-step=50-v1.ckpt} are all
 * step 50.
 */
final class StepName {
  private static final Set<String> ENDINGS = Set.of("pt", "pth", "ckpt", "tar", "bin");

  private StepName() {}

  /** The step; empty for a name that is hidden, temporary, of another kind, or without a number. */
  static OptionalLong of(String fileName) {
    var name = fileName.toLowerCase(Locale.ROOT);
    var dot = name.lastIndexOf('.');
    // Writers put their unfinished files under a hidden name or another ending (.tmp, .part).
    if (name.startsWith(".") || dot < 0 || !ENDINGS.contains(name.substring(dot + 1))) {
      return OptionalLong.empty();
    }
    var stem = name.substring(0, dot);
    var last = OptionalLong.empty();
    var named = OptionalLong.empty();
    var at = 0;
    while (at < stem.length()) {
      if (!isDigit(stem.charAt(at))) {
        at++;
        continue;
      }
      var start = at;
      while (at < stem.length() && isDigit(stem.charAt(at))) {
        at++;
      }
      var number = number(stem.substring(start, at));
      if (number.isPresent()) {
        last = number;
        named = followsStepWord(stem, start) ? number : named;
      }
    }
    return named.isPresent() ? named : last;
  }

  private static boolean followsStepWord(String stem, int start) {
    var end = start;
    while (end > 0 && "-_=".indexOf(stem.charAt(end - 1)) >= 0) {
      end--;
    }
    var before = stem.substring(0, end);
    return before.endsWith("step") || before.endsWith("iter") || before.endsWith("iteration");
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static OptionalLong number(String digits) {
    // Longer than 18 digits is a hash or a time in nanoseconds, never a step.
    return digits.length() > 18 ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(digits));
  }
}
