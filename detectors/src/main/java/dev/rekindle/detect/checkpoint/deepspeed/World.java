package dev.rekindle.detect.checkpoint.deepspeed;

import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.SourceBytes;
import dev.rekindle.detect.pickle.Pickle;
import dev.rekindle.detect.pickle.PickleBounds;
import dev.rekindle.detect.pickle.PickleException;
import dev.rekindle.detect.pickle.PickleInput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * How many ranks have saved, as a file with states of a model says.
 *
 * @param dataParallel ranks that share the optimizer's states under ZeRO
 * @param modelParallel ranks with states of the model of their own
 * @param zero whether the optimizer's states are in files of their own
 */
record World(int dataParallel, int modelParallel, boolean zero) {
  private static final int LOCAL_SIZE = 30;
  private static final int LOCAL_SIGNATURE = 0x04034b50;
  private static final int MOST_RANKS = 40_000;
  private static final PickleBounds BOUNDS =
      new PickleBounds(20_000_000, 100_000, 2_000_000, 64 << 20);

  /**
   * The number of ranks of which those that load it must be a multiple. Pipelines and sequence
   * parallelism multiply them; under ZeRO the engine refuses another number of data-parallel ranks.
   */
  int ranks() {
    return zero ? Math.multiplyExact(dataParallel, modelParallel) : modelParallel;
  }

  /**
   * Reads the first entry of a file of {@code torch.save}, which is its pickle.
   *
   * @throws PickleException when it is none, or does not say
   * @throws IOException when reading fails, or would cost too much
   */
  static World read(Folder folder, String name) throws IOException {
    try (var source = folder.open(name)) {
      var header = source.read(0, LOCAL_SIZE);
      var nameLength = Short.toUnsignedInt(header.getShort(26));
      var start = LOCAL_SIZE + nameLength + Short.toUnsignedInt(header.getShort(28));
      var first = StandardCharsets.UTF_8.decode(source.read(LOCAL_SIZE, nameLength)).toString();
      if (header.getInt(0) != LOCAL_SIGNATURE || !first.endsWith("/data.pkl")) {
        throw new PickleException("its first entry is no data.pkl");
      }
      var root =
          Pickle.read(PickleInput.of(new SourceBytes(source, start)::fill), new Facts(), BOUNDS);
      if (!(root instanceof Map<?, ?> facts)) {
        throw new PickleException("it is no dictionary");
      }
      return new World(
          ranks(facts, "dp_world_size"),
          ranks(facts, "mp_world_size"),
          // Without ZeRO the optimizer's states are in this file.
          facts.containsKey("optimizer") && facts.get("optimizer") == null);
    }
  }

  private static int ranks(Map<?, ?> facts, String key) throws PickleException {
    if (facts.get(key) instanceof Long ranks && ranks > 0 && ranks <= MOST_RANKS) {
      return Math.toIntExact(ranks);
    }
    throw new PickleException("it has no " + key);
  }
}
