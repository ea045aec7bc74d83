package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.files.Budget;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Limits;
import dev.rekindle.detect.checkpoint.files.LocalStorage;
import dev.rekindle.detect.checkpoint.format.Level;
import java.io.IOException;
import java.nio.file.Path;

/** Scans directories, for tests. */
public final class Scans {
  private Scans() {}

  /** A scanner as a recovery uses it. */
  static Scanner usual(Path directory) {
    return new Scanner(directory, Scanner.Settings.USUAL);
  }

  /** One scan for one format, or for all of them. */
  public static Scanner.Result of(Path directory, String format) {
    return new Scanner(directory, new Scanner.Settings(format, Level.L3, 20, Limits.USUAL)).scan();
  }

  /** A directory as formats see it. */
  public static Folder folder(Path directory) throws IOException {
    return Folder.root(new LocalStorage(directory), new Budget(Limits.USUAL, System::nanoTime));
  }
}
