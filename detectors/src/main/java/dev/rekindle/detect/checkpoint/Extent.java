package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.Generation;
import java.io.IOException;
import java.time.Instant;

/**
 * What a generation takes on disk, from listings alone.
 *
 * @param bytes of all its files
 * @param modified when the newest of them was last written
 * @param fingerprint another one when any of its files is another
 */
record Extent(long bytes, Instant modified, long fingerprint) {
  /** Deeper than any format nests. */
  private static final int DEEPEST = 4;

  private static final Extent NOTHING = new Extent(0, Instant.EPOCH, 1);

  /**
   * Lists a generation.
   *
   * @throws IOException when a folder of it cannot be listed
   */
  static Extent of(Generation generation) throws IOException {
    if (!generation.entry().isFolder()) {
      return NOTHING.with(generation.entry());
    }
    // Where the scanned directory is a checkpoint itself, what is in folders is not of it.
    return NOTHING.with(generation.folder(), generation.path().isEmpty() ? 0 : DEEPEST);
  }

  /** What stands beside a generation may count for it: a tracker, a marker, other generations. */
  static long beside(Folder folder) throws IOException {
    var all = NOTHING;
    for (var entry : folder.entries()) {
      all = all.with(entry);
    }
    return all.fingerprint;
  }

  private Extent with(Folder folder, int deepest) throws IOException {
    var all = this;
    for (var entry : folder.entries()) {
      all = all.with(entry);
      if (entry.isFolder() && deepest > 0) {
        all = all.with(folder.folder(entry.name()), deepest - 1);
      }
    }
    return all;
  }

  private Extent with(Entry entry) {
    var mixed = fingerprint * 1_000_003 + entry.hashCode();
    return new Extent(
        bytes + entry.bytes(),
        entry.isFolder() || modified.isAfter(entry.modified()) ? modified : entry.modified(),
        mixed);
  }
}
