package dev.rekindle.simulator.chaos;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The virtual machine's ahead-of-time cache: loaded classes, and the profiles by which methods are
 * compiled. A long run writes it beside the JARs at its end, and later runs of the same JARs begin
 * with it, which saves most of what a process spends on getting warm. What a seed does is the same
 * with it and without.
 */
final class AotCache {
  /** A shorter run has not met enough. */
  private static final long LEAST_SEEDS = 500;

  private final Path file;
  private final Path draft;
  private final boolean fresh;

  private AotCache(Path file, boolean fresh) {
    this.file = file;
    this.draft = file.resolveSibling(file.getFileName() + "." + ProcessHandle.current().pid());
    this.fresh = fresh;
  }

  /**
   * That of the class path; empty where it is not of JARs alone, or there is no room beside them.
   */
  static Optional<AotCache> of(String classPath) {
    List<Path> jars = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator, -1)) {
      jars.add(Path.of(entry));
    }
    Path beside = jars.getFirst().toAbsolutePath().getParent();
    if (beside == null
        || !Files.isWritable(beside)
        || !jars.stream().allMatch(j -> j.toString().endsWith(".jar") && Files.isRegularFile(j))) {
      return Optional.empty();
    }
    Path file = beside.resolve("simulate-%s.aot".formatted(Runtime.version()));
    try {
      return Optional.of(new AotCache(file, isNewest(file, beside)));
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }

  /** Whether no JAR there is newer: of another build it is of no use. */
  private static boolean isNewest(Path file, Path beside) throws IOException {
    if (!Files.exists(file)) {
      return false;
    }
    FileTime written = Files.getLastModifiedTime(file);
    try (var jars = Files.newDirectoryStream(beside, "*.jar")) {
      for (Path jar : jars) {
        if (Files.getLastModifiedTime(jar).compareTo(written) > 0) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Options of a process that is to use it, or to write it where there is none.
   *
   * @param first whether it is the first of its crew: one writes
   */
  List<String> options(boolean first, long seeds) {
    if (fresh) {
      return List.of("-XX:AOTCache=" + file);
    }
    return first && seeds >= LEAST_SEEDS ? List.of("-XX:AOTCacheOutput=" + draft) : List.of();
  }

  /** The processes have ended: what the first of them wrote is there for the next run. */
  void keep() {
    try {
      if (Files.exists(draft)) {
        Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING);
      }
      Files.deleteIfExists(draft.resolveSibling(draft.getFileName() + ".config"));
    } catch (IOException unkept) {
      // The next run begins without it, as this one did.
    }
  }
}
