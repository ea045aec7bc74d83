package dev.rekindle.detect.checkpoint.safetensors;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Times;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.json.JsonException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Set;

/** The index of a model in several files: which of them holds which tensor. */
public final class SafetensorsIndex {
  /** Its usual name. */
  public static final String NAME = "model.safetensors.index.json";

  private SafetensorsIndex() {}

  /**
   * Judges every file that an index names. It is written after them.
   *
   * @throws IOException when something cannot be read
   */
  public static Verdict judge(Folder folder, String index) throws IOException {
    Set<String> files;
    try {
      files = ShardIndex.files(folder, index);
    } catch (JsonException e) {
      return Verdict.torn(Level.L3, index + ": " + e.getMessage());
    }
    var shards = new ArrayList<Entry>();
    for (var file : files) {
      var entry = folder.entry(file);
      if (entry.filter(Entry::isFile).isEmpty()) {
        return Verdict.torn(Level.L2, Names.printable(file) + " is missing");
      }
      var verdict = Safetensors.judge(folder, entry.get());
      if (!verdict.isValid()) {
        return verdict.in(file);
      }
      shards.add(entry.get());
    }
    var marker = folder.entry(index);
    return marker.isEmpty()
        ? Verdict.VALID
        : Times.newerThan(folder, marker.get(), shards).orElse(Verdict.VALID);
  }
}
