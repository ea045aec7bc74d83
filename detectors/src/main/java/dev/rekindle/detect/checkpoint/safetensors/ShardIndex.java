package dev.rekindle.detect.checkpoint.safetensors;

import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.json.Json;
import dev.rekindle.detect.checkpoint.json.JsonException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The index beside weights in shards ({@code model.safetensors.index.json} and its like). */
public final class ShardIndex {
  private static final int LONGEST = 32 * 1024 * 1024;
  private static final int MOST_VALUES = 4_000_000;

  private ShardIndex() {}

  /**
   * The files that it names.
   *
   * @throws JsonException when it is no index
   * @throws IOException when it cannot be read
   */
  public static Set<String> files(Folder folder, String name) throws IOException {
    var index = Json.object(ByteBuffer.wrap(folder.read(name, LONGEST)), MOST_VALUES);
    if (!(index.get("weight_map") instanceof Map<?, ?> map) || map.isEmpty()) {
      throw new JsonException("it has no weight_map");
    }
    var files = new TreeSet<String>();
    for (var file : map.values()) {
      if (!(file instanceof String text) || text.contains("/")) {
        throw new JsonException("a weight that names no file");
      }
      files.add(text);
    }
    return files;
  }
}
