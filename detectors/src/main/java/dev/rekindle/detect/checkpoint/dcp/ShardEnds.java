package dev.rekindle.detect.checkpoint.dcp;

import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.files.Source;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Optional;

/**
 * Whether shards end in zeros. Where the power fails, a file may keep its length and lose what was
 * still in memory, and its length is all that the index says. Each piece of a shard is written by
 * {@code torch.save} and ends with the END record of an archive, which is never of zeros alone.
 * Opening a shard also shows that it may be read.
 */
final class ShardEnds {
  private static final int END_RECORD = 22;
  private static final int ZIP_START = 0x04034b50;

  private ShardEnds() {}

  /** What is wrong with the first of these that ends in zeros; empty where none does. */
  static Optional<Verdict> fault(Folder folder, Collection<String> paths) throws IOException {
    for (var path : paths) {
      try (var shard = folder.open(path)) {
        if (shard.size() >= END_RECORD
            && isZero(shard.read(shard.size() - END_RECORD, END_RECORD))) {
          return Optional.of(zeros(path, shard));
        }
      }
    }
    return Optional.empty();
  }

  private static Verdict zeros(String path, Source shard) throws IOException {
    var start = shard.read(0, 8);
    var what = Names.printable(path) + " ends in zeros: ";
    return start.getInt(0) == ZIP_START || isZero(start)
        ? Verdict.torn(Level.L3, what + "not written to its end, or lost with the power")
        // Pieces may be kept another way, as tensors without a frame.
        : Verdict.unknown(Level.L3, what + "perhaps lost with the power");
  }

  private static boolean isZero(ByteBuffer bytes) {
    for (int i = 0; i < bytes.remaining(); i++) {
      if (bytes.get(i) != 0) {
        return false;
      }
    }
    return true;
  }
}
