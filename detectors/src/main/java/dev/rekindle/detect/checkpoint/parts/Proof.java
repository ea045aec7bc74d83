package dev.rekindle.detect.checkpoint.parts;

import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.util.function.Predicate;

/**
 * Whether a library has saved a folder that is named as it names them. Scripts use the same names
 * for folders of their own: a marker of the library that is missing there says nothing.
 */
public final class Proof {
  private Proof() {}

  /**
   * What a marker that is missing says.
   *
   * @param parent the folder that it is in
   * @param isOfLibrary of the name of a file, whether only the library writes it
   * @param missing the clause about it
   * @return Torn where the folder, or one beside it of the same name but for its numbers, holds a
   *     file of the library, or it is empty; else Unknown
   * @throws IOException when a folder cannot be listed
   */
  public static Verdict torn(
      Folder parent,
      Folder folder,
      Predicate<String> isOfLibrary,
      Level level,
      String missing,
      String library)
      throws IOException {
    return folder.sample().isEmpty() || isIn(parent, folder, isOfLibrary)
        ? Verdict.torn(level, missing)
        : Verdict.unknown(
            level, "%s, and nothing here shows that it is of %s".formatted(missing, library));
  }

  private static boolean isIn(Folder parent, Folder folder, Predicate<String> isOfLibrary)
      throws IOException {
    if (folder.sample().stream().anyMatch(isOfLibrary)) {
      return true;
    }
    var shape = OneBefore.shape(folder.name());
    for (var entry : parent.entries()) {
      if (entry.isFolder()
          && OneBefore.shape(entry.name()).equals(shape)
          && parent.folder(entry.name()).sample().stream().anyMatch(isOfLibrary)) {
        return true;
      }
    }
    return false;
  }
}
