package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.format.Generation;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Names of folders and files that a writer renames once they are complete: {@code
 * tmp-checkpoint-10}, {@code step-10.tmp}, {@code step-10.tmp.pt}, {@code step-10.incomplete}; and
 * the marker {@code NAME-unfinished}, which NeMo keeps beside one until it is complete. What is
 * saved there may look complete long before it is.
 */
final class TemporaryName {
  private static final String WORDS =
      "(?:tmp|temp|part|partial|incomplete|in[_-]?progress|unfinished|uncommitted|staging|dirty)";

  private static final Pattern BEFORE =
      Pattern.compile("_*(?:tmp|temp|incomplete|partial|unfinished|uncommitted|staging)[._-].*");

  private static final Pattern BEHIND = Pattern.compile(".*[._-]" + WORDS + "(?:[._-]?\\d+)?");

  /** With what keeps writers apart: a UUID, or the letters of a {@code mkstemp}. */
  private static final Pattern RANDOM =
      Pattern.compile(".*[._-]tmp[._-](?:[0-9a-f-]{6,36}|[0-9a-z_]{6}|[0-9a-z_]{8})");

  /** In the name of a file: a shard, or a temperature. */
  private static final Pattern NUMBERED = Pattern.compile("(?:.*[._-])?(?:part|temp)[._=-]?\\d.*");

  private static final List<String> ENDINGS =
      List.of(".ckpt", ".pt", ".pth", ".bin", ".tar", ".safetensors", ".nemo");

  private static final String UNFINISHED = "-unfinished";

  private TemporaryName() {}

  /** Whether the name of a folder is one. */
  static boolean isOne(String folder) {
    var name = folder.toLowerCase(Locale.ROOT);
    return BEFORE.matcher(name).matches()
        || BEHIND.matcher(name).matches()
        || RANDOM.matcher(name).matches();
  }

  /** Why the save of a generation has not ended; empty where no name says so. */
  static Optional<String> unfinished(Generation generation) throws IOException {
    var name = generation.entry().name();
    if (name.isEmpty()) {
      return Optional.empty();
    }
    if (generation.entry().isFolder() ? isOne(name) : isFile(withoutEnding(name))) {
      return Optional.of("it still has a temporary name: the save did not end");
    }
    for (var marked : List.of(name, withoutEnding(name))) {
      if (generation.parent().entry(marked + UNFINISHED).isPresent()) {
        return Optional.of("a file -unfinished is beside it: the save did not end");
      }
    }
    return Optional.empty();
  }

  private static boolean isFile(String stem) {
    return isOne(stem) && !NUMBERED.matcher(stem.toLowerCase(Locale.ROOT)).matches();
  }

  private static String withoutEnding(String name) {
    var lower = name.toLowerCase(Locale.ROOT);
    return ENDINGS.stream()
        .filter(lower::endsWith)
        .findFirst()
        .map(ending -> withoutEnding(name.substring(0, name.length() - ending.length())))
        .orElse(name);
  }
}
