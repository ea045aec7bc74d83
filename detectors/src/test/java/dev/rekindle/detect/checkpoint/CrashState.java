package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.CrashJournal.Operation;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A directory in memory, as operations leave it. */
final class CrashState {
  /** Steps are saved so far apart; a test would not wait for it. */
  static final long MICROS_BETWEEN_SAVES = 600_000_000L;

  private static final int PAGE = 4096;

  private final TreeMap<String, Node> nodes = new TreeMap<>();

  CrashState() {}

  private CrashState(CrashState other) {
    nodes.putAll(other.nodes);
  }

  /**
   * One file, folder or link.
   *
   * @param kind of the three
   * @param data of a file; never changed in place
   * @param link where a link leads
   * @param micros when it was last written
   * @param synced what of a file is on the disk for sure
   */
  @SuppressWarnings("ArrayRecordComponent") // Bytes that are never changed.
  record Node(Kind kind, byte[] data, String link, long micros, byte[] synced) {
    private static Node folder(long micros) {
      return new Node(Kind.FOLDER, new byte[0], "", micros, new byte[0]);
    }

    private static Node file(byte[] data, long micros, byte[] synced) {
      return new Node(Kind.FILE, data, "", micros, synced);
    }
  }

  /** What a node is. */
  enum Kind {
    FILE,
    FOLDER,
    LINK
  }

  /** What files that were not synced hold after a power failure. */
  enum Lost {
    /** As long as they were when they were synced. */
    SHORT,
    /** As long as they are, with zeros for what was not synced. */
    ZEROS,
    /** The same, but the first half of it, in whole pages, came to the disk. */
    HALF_ZEROS
  }

  Map<String, Node> nodes() {
    return nodes;
  }

  CrashState copy() {
    return new CrashState(this);
  }

  /** Does an operation; of a write only so many bytes. */
  CrashState with(Operation op, int bytes) {
    var next = copy();
    next.apply(op, bytes);
    return next;
  }

  CrashState with(Operation op) {
    return with(op, op.data().length);
  }

  /** Everything is on the disk. */
  CrashState synced() {
    var next = new CrashState();
    nodes.forEach(
        (path, node) ->
            next.nodes.put(
                path, new Node(node.kind(), node.data(), node.link(), node.micros(), node.data())));
    return next;
  }

  /** As it is found when the power fails now. */
  CrashState afterPowerFailure(Lost lost) {
    var next = copy();
    next.nodes.replaceAll(
        (_, node) ->
            node.kind() != Kind.FILE || Arrays.equals(node.data(), node.synced())
                ? node
                : Node.file(remaining(node, lost), node.micros(), node.synced()));
    return next;
  }

  private static byte[] remaining(Node node, Lost lost) {
    if (lost == Lost.SHORT) {
      return node.synced();
    }
    var size = node.data().length;
    var kept = lost == Lost.ZEROS ? node.synced().length : Math.max(node.synced().length, size / 2);
    kept = Math.min(size, kept / PAGE * PAGE);
    return Arrays.copyOf(Arrays.copyOf(node.data(), kept), size);
  }

  private void apply(Operation op, int bytes) {
    var path = op.path();
    var node = nodes.get(path);
    switch (op.kind()) {
      case "mkdir" -> {
        nodes.put(path, Node.folder(op.micros()));
        touchParent(op, path);
      }
      case "create" -> {
        nodes.put(path, Node.file(new byte[0], op.micros(), new byte[0]));
        touchParent(op, path);
      }
      case "symlink" -> {
        nodes.put(path, new Node(Kind.LINK, new byte[0], op.other(), op.micros(), new byte[0]));
        touchParent(op, path);
      }
      case "link" -> {
        nodes.put(op.other(), file(path, node));
        touchParent(op, op.other());
      }
      case "write" -> {
        var file = file(path, node);
        var data = Arrays.copyOf(file.data(), Math.max(file.data().length, op.at() + bytes));
        System.arraycopy(op.data(), 0, data, op.at(), bytes);
        nodes.put(path, Node.file(data, op.micros(), file.synced()));
      }
      case "truncate" -> {
        var file = file(path, node);
        // A file that was cut is short on the disk as well.
        var synced =
            file.synced().length <= op.at() ? file.synced() : Arrays.copyOf(file.synced(), op.at());
        nodes.put(path, Node.file(Arrays.copyOf(file.data(), op.at()), op.micros(), synced));
      }
      case "rename" -> rename(op);
      case "unlink", "rmdir" -> {
        nodes.remove(path);
        touchParent(op, path);
      }
      case "sync" -> sync(path, node);
      default -> throw new IllegalStateException(op.kind());
    }
  }

  private void sync(String path, @Nullable Node node) {
    if (node != null && node.kind() == Kind.FILE) {
      nodes.put(path, Node.file(node.data(), node.micros(), node.data()));
    }
  }

  private void rename(Operation op) {
    var moved = new TreeMap<String, Node>();
    nodes.forEach(
        (path, node) -> {
          if (path.equals(op.path()) || path.startsWith(op.path() + "/")) {
            moved.put(path, node);
          }
        });
    moved.keySet().forEach(nodes::remove);
    moved.forEach((path, node) -> nodes.put(op.other() + path.substring(op.path().length()), node));
    touchParent(op, op.path());
    touchParent(op, op.other());
  }

  private void touchParent(Operation op, String path) {
    var slash = path.lastIndexOf('/');
    if (slash > 0 && nodes.containsKey(path.substring(0, slash))) {
      nodes.put(path.substring(0, slash), Node.folder(op.micros()));
    }
  }

  private static Node file(String path, @Nullable Node node) {
    if (node == null || node.kind() != Kind.FILE) {
      throw new IllegalStateException(path + " is no file");
    }
    return node;
  }
}
