package dev.rekindle.detect.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks through one directory, again and again. A file that did not change since the last look
 * keeps its verdict. What names no step, or looks like checkpoints of another kind, is never taken
 * for "there is none": the result says that nothing is known, and why.
 */
final class Scanner {
  static final int MAX_ENTRIES = 10_000;
  static final int MAX_CHECKPOINTS = 20;

  /** A copy of the best or the last may be written so long after the file that names the step. */
  static final Duration TOGETHER = Duration.ofMinutes(1);

  private static final int TOLD = 3;

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

  /** A checkpoint whose name names no step. */
  private record Stepless(Path path, String why) {
    String text() {
      return Layout.printable(String.valueOf(path.getFileName())) + " (" + why + ")";
    }
  }

  /**
   * What one scan gave.
   *
   * @param checkpoints newest step first, at most {@link #MAX_CHECKPOINTS}
   * @param error why the list may be incomplete, or is not to be relied on, else empty
   */
  record Result(List<Found> checkpoints, String error) {}

  Result scan() {
    var names = new ArrayList<Named>();
    var stepless = new ArrayList<Stepless>();
    var layout = new Layout();
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
        switch (StepName.of(String.valueOf(entry.getFileName()))) {
          case StepName.Step(long step) -> names.add(new Named(entry, step));
          case StepName.Stepless(String why) -> stepless.add(new Stepless(entry, why));
          case StepName.Other() -> {}
        }
        layout.take(entry);
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
    return new Result(
        List.copyOf(found), error.isEmpty() ? unsure(layout, found, stepless) : error);
  }

  /** Why no step of these can be relied on; empty when they can. */
  private static String unsure(Layout layout, List<Found> found, List<Stepless> stepless) {
    if (layout.looksLike().isPresent()) {
      return "it looks like checkpoints of "
          + layout.looksLike().get()
          + (found.isEmpty() ? "" : " beside files of torch.save")
          + ", which are not judged";
    }
    var files = stepless.stream().filter(s -> modified(s.path()).isPresent()).toList();
    if (files.isEmpty()) {
      return "";
    }
    if (found.isEmpty()) {
      return "no file names its step: "
          + files.stream().limit(TOLD).map(Stepless::text).collect(Collectors.joining(", "))
          + (files.size() > TOLD ? " and " + (files.size() - TOLD) + " more" : "");
    }
    var newest = found.stream().map(Found::modified).max(Instant::compareTo).orElse(Instant.EPOCH);
    return files.stream()
        .filter(s -> modified(s.path()).orElse(Instant.EPOCH).isAfter(newest.plus(TOGETHER)))
        .findFirst()
        .map(s -> s.text() + " is newer than every file that names its step")
        .orElse("");
  }

  /** When a regular file, or what a link leads to, was last written; empty for anything else. */
  private static Optional<Instant> modified(Path path) {
    try {
      var attributes = Files.readAttributes(path, BasicFileAttributes.class);
      return attributes.isRegularFile()
          ? Optional.of(attributes.lastModifiedTime().toInstant())
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
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
