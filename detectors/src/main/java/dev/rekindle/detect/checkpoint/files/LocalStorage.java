package dev.rekindle.detect.checkpoint.files;

import dev.rekindle.detect.file.RegularFile;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** A directory of this machine, or one that is mounted. */
public final class LocalStorage implements Storage {
  private final Path root;
  private final Path real;

  /**
   * Opens a directory.
   *
   * @throws IOException when it is not there, or may not be read
   */
  public LocalStorage(Path root) throws IOException {
    this.root = root;
    this.real = root.toRealPath();
  }

  @Override
  public String name() {
    return nameOf(real);
  }

  @Override
  public List<Entry> list(String folder, int most) throws IOException {
    var directory = inside(folder);
    var entries = new ArrayList<Entry>();
    try (var stream = Files.newDirectoryStream(directory)) {
      for (var path : stream) {
        if (entries.size() > most) {
          break;
        }
        entry(path).ifPresent(entries::add);
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return entries;
  }

  @Override
  public List<String> names(String folder, int most) throws IOException {
    var names = new ArrayList<String>();
    try (var stream = Files.newDirectoryStream(inside(folder))) {
      for (var path : stream) {
        if (names.size() == most) {
          break;
        }
        names.add(nameOf(path));
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return names;
  }

  @Override
  public Source open(String file) throws IOException {
    var channel = RegularFile.open(inside(file));
    try {
      return new LocalSource(channel);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /** Where a path below the root really leads. */
  private Path inside(String path) throws IOException {
    var target = root.resolve(path).toRealPath();
    if (!target.startsWith(real)) {
      throw new FileSystemException(path, null, "a link that leads out of the directory");
    }
    return target;
  }

  /** Empty when it is gone since the listing. */
  private Optional<Entry> entry(Path path) {
    try {
      var attributes = attributes(path);
      return attributes.isSymbolicLink()
          ? link(path, attributes)
          : Optional.of(entry(path, attributes));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      // A loop of links, or a file system that answers for this name only with an error.
      return Optional.of(new Entry(nameOf(path), Entry.Kind.OTHER, 0, Instant.EPOCH, 0));
    }
  }

  private Optional<Entry> link(Path path, BasicFileAttributes own) throws IOException {
    var modified = own.lastModifiedTime().toInstant();
    var away = Optional.of(new Entry(nameOf(path), Entry.Kind.OUTSIDE, 0, modified, 0));
    Path target;
    try {
      target = path.toRealPath();
    } catch (NoSuchFileException e) {
      // What is elsewhere may be there where the job runs, though it is not mounted here.
      var named = path.resolveSibling(Files.readSymbolicLink(path)).normalize();
      return named.startsWith(real) ? Optional.empty() : away;
    }
    if (!target.startsWith(real)) {
      return away;
    }
    return path.startsWith(target)
        // A link to a folder that it is in: there is no end to what is below it.
        ? Optional.of(new Entry(nameOf(path), Entry.Kind.OTHER, 0, modified, 0))
        : Optional.of(entry(path, attributes(target)));
  }

  private static Entry entry(Path path, BasicFileAttributes attributes) {
    var kind =
        attributes.isRegularFile()
            ? Entry.Kind.FILE
            : attributes.isDirectory() ? Entry.Kind.FOLDER : Entry.Kind.OTHER;
    return new Entry(
        nameOf(path),
        kind,
        kind == Entry.Kind.FILE ? attributes.size() : 0,
        attributes.lastModifiedTime().toInstant(),
        Objects.hashCode(attributes.fileKey()));
  }

  private static BasicFileAttributes attributes(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }

  private static String nameOf(Path path) {
    var name = path.getFileName();
    return name == null ? "" : name.toString();
  }
}
