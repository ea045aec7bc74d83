package dev.rekindle.detect.checkpoint;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Names of folders that a writer renames once they are complete: {@code tmp-checkpoint-10}, {@code
 * step-10.tmp}, {@code step-10.incomplete}. What is in one may look complete long before it is.
 */
final class TemporaryName {
  private static final Pattern BEFORE =
      Pattern.compile("_*(?:tmp|temp|incomplete|partial|unfinished)[._-].*");
  private static final Pattern BEHIND =
      Pattern.compile(
          ".*[._-](?:tmp|temp|part|partial|incomplete|in-?progress|unfinished)(?:[._-]?\\d+)?");

  private TemporaryName() {}

  static boolean isOne(String folder) {
    var name = folder.toLowerCase(Locale.ROOT);
    return BEFORE.matcher(name).matches() || BEHIND.matcher(name).matches();
  }
}
