package dev.rekindle.detect.checkpoint.orbax;

import java.io.IOException;
import java.util.BitSet;

/** One node of the tree of keys: ranges in files of the nodes below it, or of values. */
final class TreeNode {
  static final int MAGIC = 0x0cdb20de;

  private static final int MOST_ENTRIES = 2_000_000;
  private static final int STATISTICS = 3;

  private final Fields in;
  private final DataFiles files;
  private final int entries;
  private final int height;

  /** Takes nodes that are below another one. */
  interface Below {
    void accept(NodeRef node) throws IOException;
  }

  private TreeNode(Fields in, DataFiles files, int entries, int height) {
    this.in = in;
    this.files = files;
    this.entries = entries;
    this.height = height;
  }

  /**
   * Reads a node.
   *
   * @param in its content
   * @param at where it is
   * @param values takes where its values are that are not in it
   * @param below takes the nodes below it
   */
  static void read(Fields in, NodeRef at, Extents values, Below below) throws IOException {
    int height = in.oneByte();
    if (height != at.height()) {
      throw OcdbtException.unknown(in.what() + " is of another height than the tree wants");
    }
    var files = DataFiles.read(in, at.base());
    int entries = in.count(MOST_ENTRIES, "entries");
    if (entries > 0) {
      var node = new TreeNode(in, files, entries, height);
      if (height == 0) {
        node.values(values);
      } else {
        node.below(below);
      }
    }
  }

  private void values(Extents values) throws IOException {
    skipKeys(false);
    var lengths = numbers(entries);
    var isElsewhere = new BitSet(entries);
    for (int i = 0; i < entries; i++) {
      isElsewhere.set(i, in.number() != 0);
    }
    int count = isElsewhere.cardinality();
    var file = files(count);
    int entry = -1;
    for (int i = 0; i < count; i++) {
      entry = isElsewhere.nextSetBit(entry + 1);
      values.add(files.path(file[i]), in.number(), lengths[entry]);
    }
  }

  private void below(Below below) throws IOException {
    skipKeys(true);
    var file = files(entries);
    var offsets = numbers(entries);
    for (int i = 0; i < entries; i++) {
      below.accept(
          new NodeRef(
              files.path(file[i]), files.base(file[i]), offsets[i], in.number(), height - 1));
    }
    in.skipNumbers(STATISTICS * entries);
  }

  /** Keys say which array and chunk; where they lie in files says nothing of it. */
  private void skipKeys(boolean withCommon) throws IOException {
    in.skipNumbers(entries - 1);
    long bytes = 0;
    for (int i = 0; i < entries; i++) {
      bytes += in.count(Integer.MAX_VALUE, "bytes of a key");
    }
    if (withCommon) {
      in.skipNumbers(entries);
    }
    in.skip(bytes);
  }

  private long[] numbers(int count) throws IOException {
    var numbers = new long[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = in.number();
    }
    return numbers;
  }

  private int[] files(int count) throws IOException {
    var file = new int[count];
    for (int i = 0; i < count; i++) {
      file[i] = files.read(in);
    }
    return file;
  }
}
