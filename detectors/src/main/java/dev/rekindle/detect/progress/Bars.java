package dev.rekindle.detect.progress;

import com.google.re2j.Pattern;
import dev.rekindle.detect.progress.Reading.Other;
import dev.rekindle.detect.progress.Reading.Step;
import java.util.Optional;

/**
 * Reads progress bars: those of tqdm, {@code Steps: 12%|█▏ | 120/1000 [00:32<03:55, 3.73it/s]}, and
 * of rich as Lightning uses it, {@code Epoch 3/9 ━━╸━━ 420/1000 0:00:32 • 0:00:43 13.1it/s}.
 */
final class Bars {
  private static final int MOST_DIGITS = 18;

  private static final Pattern EPOCH =
      Pattern.compile("(?i)(?:^|[^a-z])epoch[^a-z0-9]{0,3}(\\d{1,9})(?:[^0-9.]|$)");

  private static final Pattern TORCHTUNE = Pattern.compile("^\\d{1,9}\\|(\\d{1,18})\\|Loss");

  private static final Pattern GLOBAL_STEP =
      Pattern.compile("[ ,](?:global_step|num_updates)=(\\d{1,18})(?:\\.0+)?(?:[,\\]]|$)");

  private static final Pattern RICH =
      Pattern.compile(
          "^(.{0,80}?)\\s*[━╸╺]{2,}[━╸╺\\s]*(\\d{1,18})/(\\d{1,18}|--)\\s+\\d+:\\d\\d:\\d\\d");

  /** What others put before a bar: torchrun's rank and Ray's actor. */
  private static final Pattern PREFIX =
      Pattern.compile(
          "^\\s*(?:\\[[a-z]{0,16}\\d{1,6}\\]:|\\([A-Za-z_]{1,64} pid=\\d+[^)]{0,64}\\))");

  private Bars() {}

  /** Whether a text holds a bar, so that no other number in it is a step. */
  static boolean isBar(String text) {
    return text.contains("%|") || text.contains("━━") || text.contains("/? [");
  }

  /** What a bar says; empty for one that has done nothing yet. */
  static Optional<Reading> read(AnsiText line) {
    var text = line.text();
    int bar = text.indexOf("%|");
    if (bar >= 0) {
      return percent(text, bar, line.above());
    }
    return text.contains("━━") ? rich(text) : endless(text);
  }

  private static Optional<Reading> percent(String text, int bar, boolean above) {
    int nameEnd = bar;
    while (nameEnd > 0 && isDigit(text.charAt(nameEnd - 1))) {
      nameEnd--;
    }
    var percent = number(text, nameEnd, bar);
    var name = name(text.substring(0, nameEnd));
    int numbers = text.indexOf('|', bar + 2) + 1;
    int slash = numbers > 0 ? text.indexOf('/', numbers) : -1;
    long count = slash < 0 ? -1 : number(text, numbers, slash);
    int end = slash < 0 ? -1 : digitsEnd(text, slash + 1);
    long total = slash < 0 ? -1 : number(text, slash + 1, end);
    if (count < 0 || total < 0) {
      // Bytes, as of a download: 1.2G/4.9G.
      return other(name, 100, percent);
    }
    var tune = TORCHTUNE.matcher(name);
    long seconds = seconds(text, end);
    if (tune.find()) {
      return step(
          StepFormat.TORCHTUNE,
          StepFormat.TORCHTUNE.name(),
          -1,
          number(tune.group(1)),
          -1,
          seconds,
          count);
    }
    var kind = name.isEmpty() ? LineWords.Kind.TRAINING : LineWords.ofBar(name);
    // A bar without a name below another is tqdm's for something within a step or an epoch.
    if (kind != LineWords.Kind.TRAINING || (name.isEmpty() && above)) {
      return other(name, total, count);
    }
    var global = GLOBAL_STEP.matcher(text.substring(end));
    if (global.find()) {
      return step(
          StepFormat.GLOBAL_STEP,
          StepFormat.GLOBAL_STEP.name(),
          -1,
          number(global.group(1)),
          -1,
          seconds,
          count);
    }
    if (name.isEmpty()) {
      return step(StepFormat.BARE_BAR, "bar of " + total, -1, count, total, seconds, count);
    }
    var series = "bar " + LineWords.nameOf(name);
    var epoch = EPOCH.matcher(name);
    return epoch.find()
        ? step(StepFormat.EPOCH_BAR, series, number(epoch.group(1)), count, total, seconds, count)
        : step(StepFormat.TRAINING_BAR, series + " of " + total, -1, count, total, seconds, count);
  }

  private static Optional<Reading> rich(String text) {
    var rich = RICH.matcher(text);
    if (!rich.find()) {
      return Optional.empty();
    }
    var name = name(rich.group(1));
    long count = number(rich.group(2));
    long total = rich.group(3).equals("--") ? -1 : number(rich.group(3));
    var epoch = EPOCH.matcher(name);
    if (LineWords.ofBar(name) != LineWords.Kind.TRAINING || !epoch.find()) {
      return other(name, total, count);
    }
    return step(
        StepFormat.EPOCH_BAR,
        "bar " + LineWords.nameOf(name),
        number(epoch.group(1)),
        count,
        total,
        -1,
        count);
  }

  /** Lightning's bar over data of unknown length: {@code Epoch 0: | | 120/? [00:32<?, 3.7it/s]}. */
  private static Optional<Reading> endless(String text) {
    int question = text.indexOf("/? [");
    int from = question;
    while (from > 0 && isDigit(text.charAt(from - 1))) {
      from--;
    }
    int nameEnd = text.indexOf('|');
    if (question < 0 || nameEnd < 0 || nameEnd > from) {
      return Optional.empty();
    }
    var name = name(text.substring(0, nameEnd));
    var epoch = EPOCH.matcher(name);
    long count = number(text, from, question);
    if (LineWords.ofBar(name) != LineWords.Kind.TRAINING || !epoch.find()) {
      return other(name, -1, count);
    }
    return step(
        StepFormat.EPOCH_BAR,
        "bar " + LineWords.nameOf(name),
        number(epoch.group(1)),
        count,
        -1,
        seconds(text, question + 2),
        count);
  }

  private static Optional<Reading> other(String name, long total, long count) {
    return count <= 0
        ? Optional.empty()
        : Optional.of(new Other("bar " + LineWords.nameOf(name) + " of " + total, count));
  }

  /** A bar at nothing was drawn before the first step. */
  private static Optional<Reading> step(
      StepFormat format,
      String series,
      long epoch,
      long count,
      long total,
      long seconds,
      long done) {
    return done <= 0 || count < 0
        ? Optional.empty()
        : Optional.of(new Step(format, series, epoch, count, total, seconds));
  }

  private static String name(String text) {
    var rest = text;
    var prefix = PREFIX.matcher(rest);
    if (prefix.find()) {
      rest = rest.substring(prefix.end());
    }
    int end = rest.length();
    while (end > 0 && (rest.charAt(end - 1) == ':' || rest.charAt(end - 1) == ' ')) {
      end--;
    }
    return rest.substring(0, end).strip();
  }

  private static int digitsEnd(String text, int from) {
    int at = from;
    while (at < text.length() && isDigit(text.charAt(at))) {
      at++;
    }
    return at;
  }

  /** Seconds in {@code [00:32<}, {@code [1:00:32<}; -1 without. */
  private static long seconds(String text, int from) {
    int open = text.indexOf('[', from);
    int end = open < 0 ? -1 : text.indexOf('<', open);
    if (end < 0 || end - open > 12) {
      return -1;
    }
    long seconds = 0;
    for (var part : text.substring(open + 1, end).split(":", 4)) {
      long number = number(part);
      if (number < 0) {
        return -1;
      }
      seconds = seconds * 60 + number;
    }
    return seconds;
  }

  static long number(String digits) {
    return number(digits, 0, digits.length());
  }

  /** What the digits there say, spaces around them left out; -1 where there is anything else. */
  private static long number(String text, int from, int to) {
    var digits = text.substring(from, to).strip();
    if (digits.isEmpty() || digits.length() > MOST_DIGITS) {
      return -1;
    }
    for (int i = 0; i < digits.length(); i++) {
      if (!isDigit(digits.charAt(i))) {
        return -1;
      }
    }
    return Long.parseLong(digits);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
