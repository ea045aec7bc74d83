package dev.rekindle.detect.checkpoint.dcp;

import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.LimitException;
import dev.rekindle.detect.checkpoint.files.SourceBytes;
import dev.rekindle.detect.pickle.Pickle;
import dev.rekindle.detect.pickle.PickleBounds;
import dev.rekindle.detect.pickle.PickleException;
import dev.rekindle.detect.pickle.PickleInput;
import java.io.IOException;
import java.util.Map;

/**
 * What a {@code .metadata} says of the files beside it.
 *
 * @param ends how long each file is, by its path below the folder
 * @param entries pieces of data in all files
 */
record DcpIndex(Map<String, Long> ends, long entries) {
  /** Twice what 384,000 pieces take; the inspector has a heap of 128 MiB. */
  static final int MOST_BYTES = 128 << 20;

  private static final PickleBounds BOUNDS =
      new PickleBounds(200_000_000, 100_000, 8_000_000, 64 << 20);

  /**
   * Reads one.
   *
   * @throws PickleException when it is cut off, or is no such index
   * @throws LimitException when it is bigger than what is read
   * @throws IOException when reading fails
   */
  static DcpIndex read(Folder folder, String name) throws IOException {
    try (var source = folder.open(name)) {
      if (source.size() > MOST_BYTES) {
        throw new LimitException(
            name + " has " + source.size() + " bytes; at most " + MOST_BYTES + " are read");
      }
      var infos = new StorageInfos();
      var value = Pickle.read(PickleInput.of(new SourceBytes(source, 0)::fill), infos, BOUNDS);
      if (!StorageInfos.isMetadata(value)) {
        throw new PickleException("not a Metadata of torch.distributed.checkpoint");
      }
      return new DcpIndex(infos.ends(), infos.entries());
    }
  }
}
