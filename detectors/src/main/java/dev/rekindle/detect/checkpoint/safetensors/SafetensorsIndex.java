package dev.rekindle.detect.checkpoint.safetensors;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.json.Json;
import dev.rekindle.detect.checkpoint.json.JsonException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The index of a model in several files: which of them holds which tensor. */
public final class SafetensorsIndex {
  /** Its usual name. */
  public static final String NAME = "model.safetensors.index.json";

  private static final int MOST_BYTES = 16 << 20;
  private static final int MOST_VALUES = 2_000_000;

  private SafetensorsIndex() {}

  /**
   * Judges every file that an index names.
   *
   * @throws IOException when something cannot be read
   */
  public static Verdict judge(Folder folder, String index) throws IOException {
    Map<String, @Nullable Object> read;
    try {
      read = Json.object(ByteBuffer.wrap(folder.read(index, MOST_BYTES)), MOST_VALUES);
    } catch (JsonException e) {
      return Verdict.torn(Level.L3, index + ": " + e.getMessage());
    }
    if (!(read.get("weight_map") instanceof Map<?, ?> map) || map.isEmpty()) {
      return Verdict.unknown(Level.L3, index + " names no file");
    }
    var files = new TreeSet<String>();
    map.values().forEach(file -> files.add(String.valueOf(file)));
    for (var file : files) {
      var entry = folder.entry(file);
      if (entry.filter(Entry::isFile).isEmpty()) {
        return Verdict.torn(Level.L2, Names.printable(file) + " is missing");
      }
      var verdict = Safetensors.judge(folder, entry.get());
      if (!verdict.isValid()) {
        return verdict.in(file);
      }
    }
    return Verdict.VALID;
  }
}
