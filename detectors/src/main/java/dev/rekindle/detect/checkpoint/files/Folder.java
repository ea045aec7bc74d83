package dev.rekindle.detect.checkpoint.files;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A folder as it was when it was first read: it is listed once, and so is each folder below it,
 * when somebody asks. One thread.
 */
public final class Folder {
  /** Names that {@link #sample} gives. */
  public static final int SAMPLE = 200;

  private final Storage storage;
  private final Budget budget;
  private final String path;
  private final int most;
  private final Map<String, Folder> folders = new HashMap<>();
  private @Nullable List<Entry> entries;
  private @Nullable Map<String, Entry> byName;
  private @Nullable List<String> sample;

  private Folder(Storage storage, Budget budget, String path, int most) {
    this.storage = storage;
    this.budget = budget;
    this.path = path;
    this.most = most;
  }

  /** The root of a storage. */
  public static Folder root(Storage storage, Budget budget) {
    return new Folder(storage, budget, "", budget.limits().rootEntries());
  }

  /** Below the root, with slashes; empty for the root. */
  public String path() {
    return path;
  }

  /** The last part of {@link #path}; empty for the root. */
  public String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** Name of the directory that is scanned. */
  public String storageName() {
    return storage.name();
  }

  /** Whether the times of files in it are those of their writes. */
  public boolean timesAreOfWrites() {
    return storage.timesAreOfWrites();
  }

  /** What the scan may still cost. */
  public Budget budget() {
    return budget;
  }

  /**
   * Everything in it, in no order; at most as many as the limits allow.
   *
   * @throws IOException when it cannot be listed
   */
  public List<Entry> entries() throws IOException {
    var known = entries;
    if (known == null) {
      budget.time();
      known = storage.list(path, most);
      if (known.size() > most && !path.isEmpty()) {
        throw new LimitException("more than " + most + " entries in " + Names.printable(path));
      }
      if (!path.isEmpty()) {
        budget.listed(known.size());
      }
      entries = known;
    }
    return known.size() > most ? known.subList(0, most) : known;
  }

  /** Whether it has more entries than the limits allow: of a root the rest is left out. */
  public boolean isCut() throws IOException {
    entries();
    var known = entries;
    return known != null && known.size() > most;
  }

  /** The entry of that name. */
  public Optional<Entry> entry(String name) throws IOException {
    var known = byName;
    if (known == null) {
      known = new HashMap<>();
      for (var entry : entries()) {
        known.put(entry.name(), entry);
      }
      byName = known;
    }
    return Optional.ofNullable(known.get(name));
  }

  /** Whether it has a file of that name. */
  public boolean hasFile(String name) throws IOException {
    return entry(name).filter(Entry::isFile).isPresent();
  }

  /**
   * Some of the names in it, at most {@link #SAMPLE}: to see what it is without reading the whole
   * of a folder that may have a hundred thousand.
   */
  public List<String> sample() throws IOException {
    var known = sample;
    if (known == null) {
      budget.time();
      known = names();
      sample = known;
    }
    return known;
  }

  private List<String> names() throws IOException {
    try {
      return storage.names(path, SAMPLE);
    } catch (IOException e) {
      if (path.isEmpty() || e instanceof StoreException) {
        throw e;
      }
      // What may not be entered, such as lost+found, shows nothing.
      return List.of();
    }
  }

  /** A folder in it; it need not be there, and is listed when it is asked for its entries. */
  public Folder folder(String name) {
    return folders.computeIfAbsent(
        name, _ -> new Folder(storage, budget, below(name), budget.limits().folderEntries()));
  }

  /** Lets go of all that is known of it, so that a thousand folders need no memory. */
  public void release() {
    entries = null;
    byName = null;
    sample = null;
    folders.clear();
  }

  /**
   * Opens a file in it. What is read counts.
   *
   * @throws IOException when it is not there, is no file, or may not be read
   */
  public Source open(String name) throws IOException {
    var source = storage.open(below(name));
    return new Source() {
      @Override
      public long size() {
        return source.size();
      }

      @Override
      public ByteBuffer read(long position, int length) throws IOException {
        budget.read(length);
        return source.read(position, length);
      }

      @Override
      public void ahead(long[] positions, int length) throws IOException {
        budget.time();
        source.ahead(positions, length);
      }

      @Override
      public void close() throws IOException {
        source.close();
      }
    };
  }

  /**
   * The whole of a small file.
   *
   * @param most bytes that it may have
   * @throws LimitException when it has more
   */
  public byte[] read(String name, int most) throws IOException {
    try (var source = open(name)) {
      if (source.size() > most) {
        throw new LimitException(
            Names.printable(name) + " has " + source.size() + " bytes, more than " + most);
      }
      var bytes = new byte[(int) source.size()];
      source.read(0, bytes.length).get(bytes);
      return bytes;
    } catch (EOFException e) {
      throw new EOFException(Names.printable(name) + " became shorter while it was read");
    }
  }

  private String below(String name) {
    return path.isEmpty() ? name : path + "/" + name;
  }
}
