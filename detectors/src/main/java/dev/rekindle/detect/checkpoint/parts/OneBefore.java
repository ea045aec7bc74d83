package dev.rekindle.detect.checkpoint.parts;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.StepName;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The checkpoint that was saved before another, in a folder of the same name but for the step. What
 * a script saves seldom changes. So where nothing in a checkpoint says which files belong to it,
 * what the one before it has and it lacks was not written, not copied, or is deleted. Or the gang
 * has fewer ranks now: then the next save is like this one, and nothing speaks against it.
 */
public final class OneBefore {
  private static final Pattern NUMBER = Pattern.compile("[0-9]+");

  private OneBefore() {}

  /**
   * What a folder lacks.
   *
   * @param parent the folder that both are in
   * @param counts of the name of a file, whether it has to be there
   * @return Unknown with the first such file; empty where there is none, or no folder before
   * @throws IOException when a folder cannot be listed
   */
  public static Optional<Verdict> lacks(Folder parent, Folder folder, Predicate<String> counts)
      throws IOException {
    var name = name(parent, folder.name());
    return name.isEmpty() ? Optional.empty() : lacks(parent, name, folder, counts);
  }

  /**
   * The same, where it is known which one is before it.
   *
   * @param before its name
   * @throws IOException when a folder cannot be listed
   */
  public static Optional<Verdict> lacks(
      Folder parent, String before, Folder folder, Predicate<String> counts) throws IOException {
    for (var file : Parts.files(parent.folder(before))) {
      if (counts.test(file.name()) && folder.entry(file.name()).isEmpty()) {
        return Optional.of(
            Verdict.unknown(
                Level.L2,
                "%s is missing, which %s has"
                    .formatted(Names.printable(file.name()), Names.printable(before))));
      }
    }
    return Optional.empty();
  }

  /**
   * Its name; empty where there is none.
   *
   * @throws IOException when the parent cannot be listed
   */
  public static String name(Folder parent, String own) throws IOException {
    var before = names(parent, own);
    return before.isEmpty() ? "" : before.getFirst();
  }

  /**
   * Names of all that were saved before, by their steps, newest first.
   *
   * @throws IOException when the parent cannot be listed
   */
  static List<String> names(Folder parent, String own) throws IOException {
    var step = step(own);
    var shape = shape(own);
    return parent.entries().stream()
        .filter(entry -> entry.isFolder() && shape(entry.name()).equals(shape))
        .map(Entry::name)
        .filter(name -> step(name) < step)
        .sorted(Comparator.comparingLong(OneBefore::step).reversed())
        .toList();
  }

  /** A name without its numbers. */
  public static String shape(String name) {
    return NUMBER.matcher(name).replaceAll("0");
  }

  private static long step(String name) {
    return StepName.step(StepName.ofFolder(name)).orElse(Long.MAX_VALUE);
  }
}
