package dev.rekindle.detect.checkpoint.format;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What the name of a file or a folder says of its step. Only a number that the name calls a step is
 * one: it comes right after {@code step}, {@code iter} or {@code iteration}, or, at the end of the
 * name, after {@code checkpoint} or {@code ckpt}. The number of an epoch, a metric, a version or a
 * shard is none, and a guess would send a training back by as much as it has done.
 */
public final class StepName {
  private static final Set<String> ENDINGS = Set.of("pt", "pth", "ckpt", "tar", "bin");
  private static final Set<String> STEPS =
      Set.of("step", "steps", "globalstep", "iter", "iters", "iteration", "iterations");
  private static final Set<String> FILES = Set.of("checkpoint", "ckpt");
  private static final Set<String> PARTS = Set.of("of", "rank", "shard", "part");

  /** In {@code loss_step=12} the number is the loss. */
  private static final Set<String> METRICS =
      Set.of("loss", "acc", "accuracy", "ppl", "perplexity", "score", "metric", "lr", "time");

  private static final int MAX_DIGITS = 18;
  private static final String NOT_CALLED = "nothing in its name is called a step";

  private final String stem;
  private OptionalLong step = OptionalLong.empty();
  private OptionalLong numbered = OptionalLong.empty();
  private String why = "";

  private StepName(String stem) {
    this.stem = stem;
  }

  /** What a name is. */
  public sealed interface Named {}

  /** A checkpoint of this step. */
  public record Step(long step) implements Named {}

  /** A checkpoint that does not name its step; the reason is a clause about it. */
  public record Stepless(String why) implements Named {}

  /** Hidden, temporary, or of another kind. */
  public record Other() implements Named {}

  /** Reads the name of a file; never throws, whatever it is. */
  public static Named ofFile(String fileName) {
    var name = fileName.toLowerCase(Locale.ROOT);
    var dot = name.lastIndexOf('.');
    // Writers put their unfinished files under a hidden name or another ending (.tmp, .part).
    if (name.startsWith(".") || dot <= 0 || !ENDINGS.contains(name.substring(dot + 1))) {
      return new Other();
    }
    var stem = name.substring(0, dot);
    // PyTorch's examples call a file of torch.save .pth.tar.
    var whole = name.endsWith(".pth.tar") ? stem.substring(0, stem.length() - 4) : stem;
    return new StepName(withoutVersion(whole)).read();
  }

  /** Reads the name of a folder, with or without the ending of a file. */
  public static Named ofFolder(String folderName) {
    var name = folderName.toLowerCase(Locale.ROOT);
    if (name.startsWith(".")) {
      return new Other();
    }
    var dot = name.lastIndexOf('.');
    var ended = dot > 0 && ENDINGS.contains(name.substring(dot + 1));
    return new StepName(withoutVersion(ended ? name.substring(0, dot) : name)).read();
  }

  /** The step, where a name has one. */
  public static OptionalLong step(Named named) {
    return named instanceof Step(long step) ? OptionalLong.of(step) : OptionalLong.empty();
  }

  /** Why there is none; empty where there is one. */
  static String why(Named named) {
    return switch (named) {
      case Step _ -> "";
      case Stepless(String why) -> why;
      case Other _ -> NOT_CALLED;
    };
  }

  /** Lightning keeps files apart by {@code -v1}, {@code -v2}. */
  private static String withoutVersion(String stem) {
    var end = stem.length();
    while (end > 0 && isDigit(stem.charAt(end - 1))) {
      end--;
    }
    return end < stem.length() && end >= 2 && stem.startsWith("-v", end - 2)
        ? stem.substring(0, end - 2)
        : stem;
  }

  private Named read() {
    for (int at = 0; at < stem.length(); at++) {
      if (isDigit(stem.charAt(at))) {
        var start = at;
        while (at < stem.length() && isDigit(stem.charAt(at))) {
          at++;
        }
        take(start, at);
      }
    }
    if (!why.isEmpty()) {
      return new Stepless(why);
    }
    var found = step.isPresent() ? step : stem.contains("epoch") ? OptionalLong.empty() : numbered;
    if (found.isPresent()) {
      return new Step(found.getAsLong());
    }
    return new Stepless(stem.contains("epoch") ? "an epoch is no step" : NOT_CALLED);
  }

  /** Takes the number at a place, and what stands before it. */
  private void take(int start, int end) {
    var wordEnd = start;
    while (wordEnd > 0 && "-_=".indexOf(stem.charAt(wordEnd - 1)) >= 0) {
      wordEnd--;
    }
    var wordStart = wordBefore(wordEnd);
    var word = stem.substring(wordStart, wordEnd);
    if (PARTS.contains(word)) {
      why = "it is one part of a checkpoint of several files";
    } else if (STEPS.contains(word) && isAbbreviated(end)) {
      why = "its step is abbreviated";
    } else if (STEPS.contains(word) && !isFraction(end) && !isMetric(wordStart)) {
      step(start, end);
    } else if (FILES.contains(word) && end == stem.length() && wordEnd < start) {
      numbered = number(start, end);
    }
  }

  private void step(int start, int end) {
    var found = number(start, end);
    if (found.isEmpty()) {
      why = "its step has more than " + MAX_DIGITS + " digits";
    } else if (step.isPresent() && step.getAsLong() != found.getAsLong()) {
      why = "it names two steps";
    }
    step = found;
  }

  /** {@code step_10k}, {@code step2M}, {@code step=1e5}. */
  private boolean isAbbreviated(int end) {
    if (end == stem.length()) {
      return false;
    }
    var ends = end + 1 == stem.length();
    return switch (stem.charAt(end)) {
      case 'k', 'm', 'b' -> ends || !Character.isLetter(stem.charAt(end + 1));
      case 'e' -> !ends && isDigit(stem.charAt(end + 1));
      default -> false;
    };
  }

  private boolean isFraction(int end) {
    return end + 1 < stem.length() && stem.charAt(end) == '.' && isDigit(stem.charAt(end + 1));
  }

  private boolean isMetric(int wordStart) {
    var end = wordStart;
    while (end > 0 && "-_".indexOf(stem.charAt(end - 1)) >= 0) {
      end--;
    }
    return METRICS.contains(stem.substring(wordBefore(end), end));
  }

  private int wordBefore(int end) {
    var start = end;
    while (start > 0 && stem.charAt(start - 1) >= 'a' && stem.charAt(start - 1) <= 'z') {
      start--;
    }
    return start;
  }

  private OptionalLong number(int start, int end) {
    return end - start > MAX_DIGITS
        ? OptionalLong.empty()
        : OptionalLong.of(Long.parseLong(stem, start, end, 10));
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
