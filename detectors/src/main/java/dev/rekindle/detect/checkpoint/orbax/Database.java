package dev.rekindle.detect.checkpoint.orbax;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.LimitException;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.files.Source;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.zstd.ZstdException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Judges a database of arrays (TensorStore, OCDBT storage format) as a restore reads it: the newest
 * version of its manifest, each node of that version's tree of keys with its checksum, and for each
 * value that its file is as long as the tree says. Files may be longer, and what only older
 * versions have is not looked at.
 */
final class Database {
  private static final int MOST_NODES = 100_000;
  private static final int MOST_CHARACTERS = 12 * 1024 * 1024;
  private static final Set<String> NO_NAMES = Set.of("", ".", "..");
  private static final int TAIL = 64;
  private static final int ZSTD = 0xfd2fb528;

  private final Folder folder;
  private final Deque<NodeRef> left = new ArrayDeque<>();
  private final Set<NodeRef> seen = new HashSet<>();
  private final Extents values = new Extents();
  private long characters;

  private Database(Folder folder) {
    this.folder = folder;
  }

  /**
   * Judges the one that has its manifest in this folder.
   *
   * @throws OcdbtException when it is not whole, or cannot be judged
   * @throws IOException when something cannot be read, or would cost too much
   */
  static void check(Folder folder) throws IOException {
    var database = new Database(folder);
    var root = Manifest.newest(folder);
    if (root.isPresent()) {
      database.add(root.get());
    }
    while (!database.left.isEmpty()) {
      database.read(database.left.pop());
    }
    for (var value : database.values.byPath().entrySet()) {
      database.check(value.getKey(), value.getValue());
    }
  }

  /** A node may be below several others, and is read once. */
  private void add(NodeRef node) throws LimitException {
    if (seen.add(node)) {
      left.push(node);
      characters += node.file().length() + node.base().length();
    }
    if (seen.size() > MOST_NODES || characters > MOST_CHARACTERS) {
      throw new LimitException("a tree of more than " + MOST_NODES + " nodes, or in long paths");
    }
  }

  private void read(NodeRef node) throws IOException {
    var what = "the index in " + Names.printable(node.file());
    values.add(node.file(), node.offset(), node.length());
    try (var source = open(node.file(), node.offset() + node.length())) {
      var content = Framed.open(source, node.offset(), node.length(), TreeNode.MAGIC, what);
      TreeNode.read(content, node, values, this::add);
    } catch (EOFException | ZstdException e) {
      throw OcdbtException.unknown(what + " cannot be read: " + e.getMessage());
    }
  }

  private void check(String path, Extents.Extent extent) throws IOException {
    var budget = folder.budget();
    if (!budget.readsEnds() || !folder.timesAreOfWrites() || extent.end() - extent.last() < TAIL) {
      sized(path, extent.end());
      return;
    }
    try (var source = open(path, extent.end())) {
      if (!isZero(source.read(extent.end() - TAIL, TAIL))) {
        return;
      }
      var start = source.read(extent.start(), Integer.BYTES).getInt(0);
      var what = Names.printable(path) + " ends in zeros";
      if (start == ZSTD) {
        throw OcdbtException.torn(Level.L3, what + ": lost with the power");
      }
      if (start == 0) {
        // All of its values, or arrays of zeros that are not compressed.
        throw OcdbtException.unknown(what + ": perhaps lost with the power");
      }
    }
  }

  private static boolean isZero(ByteBuffer bytes) {
    for (int i = 0; i < TAIL; i++) {
      if (bytes.get(i) != 0) {
        return false;
      }
    }
    return true;
  }

  private Source open(String path, long end) throws IOException {
    return sized(path, end).open(path.substring(path.lastIndexOf('/') + 1));
  }

  /** The folder of a file that is at least so long. */
  private Folder sized(String path, long end) throws IOException {
    var parts = path.split("/", -1);
    if (Arrays.stream(parts).anyMatch(NO_NAMES::contains)) {
      throw OcdbtException.unknown("the index names " + Names.printable(path));
    }
    var at = folder;
    for (int i = 0; i < parts.length - 1; i++) {
      if (at.entry(parts[i]).filter(Entry::isFolder).isEmpty()) {
        throw OcdbtException.torn(Level.L2, Names.printable(path) + " is missing");
      }
      at = at.folder(parts[i]);
    }
    var file = at.entry(parts[parts.length - 1]);
    if (file.isEmpty()) {
      throw OcdbtException.torn(Level.L2, Names.printable(path) + " is missing");
    }
    if (!file.get().isFile()) {
      throw OcdbtException.unknown(Names.printable(path) + " is no file that may be read");
    }
    if (file.get().bytes() < end) {
      throw OcdbtException.torn(
          Level.L3,
          "%s has %d bytes, the index says at least %d"
              .formatted(Names.printable(path), file.get().bytes(), end));
    }
    return at;
  }
}
