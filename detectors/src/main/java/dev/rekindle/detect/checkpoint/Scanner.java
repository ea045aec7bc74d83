package dev.rekindle.detect.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Looks through one directory, again and again. A file that did not change since the last look
 * keeps its verdict. Sub-directories are not entered.
 */
final class Scanner {
  static final int MAX_ENTRIES = 10_000;
  static final int MAX_CHECKPOINTS = 20;

  private final Path directory;
  private Map<Path, Known> known = Map.of();

  /** A scanner of a directory given by its absolute path. */
  Scanner(Path directory) {
    this.directory = directory;
  }

  /** What a look at a file depends on. */
  private record Identity(long bytes, Instant modified, @Nullable Object key) {}

  private record Known(Identity identity, Verdict verdict) {}

  private record Named(Path path, long step) {}

  /**
   * What one scan gave.
   *
   * @param checkpoints newest step first, at most {@link #MAX_CHECKPOINTS}
   * @param error why the list may be incomplete, else empty
   */
  record Result(List<Found> checkpoints, String error) {}

  Result scan() {
    var names = new ArrayList<Named>();
    var error = "";
    Path root;
    try (var entries = Files.newDirectoryStream(directory)) {
      root = directory.toRealPath();
      var seen = 0;
      for (var entry : entries) {
        if (++seen > MAX_ENTRIES) {
          error = "more than " + MAX_ENTRIES + " entries; the rest was not looked at";
          break;
        }
        var step = StepName.of(String.valueOf(entry.getFileName()));
        if (step.isPresent()) {
          names.add(new Named(entry, step.getAsLong()));
        }
      }
    } catch (NoSuchFileException e) {
      return new Result(List.of(), "the directory does not exist");
    } catch (NotDirectoryException e) {
      return new Result(List.of(), "it is not a directory");
    } catch (IOException | RuntimeException e) {
      return new Result(
          List.of(), "the directory cannot be listed: " + e.getClass().getSimpleName());
    }
    names.sort(Comparator.comparingLong(Named::step).reversed().thenComparing(Named::path));
    var found = new ArrayList<Found>();
    var next = new HashMap<Path, Known>();
    for (var name : names) {
      if (found.size() == MAX_CHECKPOINTS) {
        break;
      }
      look(root, name, next).ifPresent(found::add);
    }
    known = next;
    return new Result(List.copyOf(found), error);
  }

  /** Empty when the name is a directory, or the file is gone since the listing. */
  private Optional<Found> look(Path root, Named name, Map<Path, Known> next) {
    try {
      var attributes = attributes(name.path());
      var target = name.path();
      if (attributes.isSymbolicLink()) {
        target = name.path().toRealPath();
        if (!target.startsWith(root)) {
          return found(
              name, attributes, Verdict.unreadable("a link that leads out of the directory"));
        }
        attributes = attributes(target);
      }
      if (attributes.isDirectory()) {
        return Optional.empty();
      }
      if (!attributes.isRegularFile()) {
        // Opening a pipe would wait for a writer, for ever.
        return found(name, attributes, Verdict.unreadable("not a regular file"));
      }
      var identity =
          new Identity(
              attributes.size(), attributes.lastModifiedTime().toInstant(), attributes.fileKey());
      var before = known.get(name.path());
      var verdict =
          before != null && before.identity().equals(identity)
              ? before.verdict()
              : TorchSave.check(target);
      next.put(name.path(), new Known(identity, verdict));
      return found(name, attributes, verdict);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(
          new Found(
              name.path(),
              name.step(),
              0,
              Instant.EPOCH,
              Verdict.unreadable("looking at it failed: " + e.getClass().getSimpleName())));
    }
  }

  private static Optional<Found> found(
      Named name, BasicFileAttributes attributes, Verdict verdict) {
    return Optional.of(
        new Found(
            name.path(),
            name.step(),
            attributes.size(),
            attributes.lastModifiedTime().toInstant(),
            verdict));
  }

  private static BasicFileAttributes attributes(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }
}
