package dev.rekindle.detect.checkpoint.parts;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.LimitException;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.json.Json;
import dev.rekindle.detect.checkpoint.json.JsonException;
import dev.rekindle.detect.checkpoint.safetensors.Safetensors;
import dev.rekindle.detect.checkpoint.safetensors.ShardIndex;
import dev.rekindle.detect.checkpoint.torch.TorchSave;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The files of a checkpoint that is a folder: each is judged by what its name says it is. */
public final class Parts {
  private static final List<String> TORCH = List.of(".pt", ".pth", ".bin", ".ckpt", ".pkl");
  private static final String INDEX = ".index.json";

  /** A file of JSON that is longer is not parsed. */
  private static final int LONGEST_JSON = 16 * 1024 * 1024;

  private static final int MOST_VALUES = 2_000_000;

  private Parts() {}

  /**
   * What is wrong with some files of a folder.
   *
   * @param upTo {@link Level#L4} also compares checksums, where there are any
   * @return the worst: one that is torn before one of which nothing can be said; empty where all
   *     are complete
   * @throws IOException when one cannot be read
   */
  public static Optional<Verdict> fault(Folder folder, Collection<Entry> files, Level upTo)
      throws IOException {
    Optional<Verdict> worst = Optional.empty();
    for (var file : files) {
      var verdict = judge(folder, file, upTo);
      if (verdict.kind() == Verdict.Kind.TORN) {
        return Optional.of(verdict.in(file.name()));
      }
      if (!verdict.isValid() && worst.isEmpty()) {
        worst = Optional.of(verdict.in(file.name()));
      }
    }
    return worst;
  }

  /** The files that are in a folder itself. */
  public static List<Entry> files(Folder folder) throws IOException {
    return folder.entries().stream().filter(entry -> !entry.isFolder()).toList();
  }

  private static Verdict judge(Folder folder, Entry file, Level upTo) throws IOException {
    if (!file.isFile()) {
      return Verdict.unknown(
          Level.L2,
          file.kind() == Entry.Kind.OUTSIDE
              ? "a link that leads out of the directory"
              : "not a regular file");
    }
    if (file.bytes() == 0) {
      return Verdict.torn(Level.L2, "the file is empty");
    }
    try {
      if (file.name().endsWith(".safetensors")) {
        return Safetensors.judge(folder, file);
      }
      if (file.name().endsWith(INDEX)) {
        return shards(folder, file);
      }
      if (file.name().endsWith(".json")) {
        return json(folder, file);
      }
    } catch (JsonException e) {
      return Verdict.torn(Level.L3, String.valueOf(e.getMessage()));
    } catch (EOFException e) {
      return Verdict.torn(Level.L3, String.valueOf(e.getMessage()));
    } catch (LimitException e) {
      return Verdict.unknown(Level.L2, String.valueOf(e.getMessage()));
    }
    return TORCH.stream().anyMatch(file.name()::endsWith)
        ? TorchSave.judge(folder, file, upTo)
        : Verdict.VALID;
  }

  private static Verdict json(Folder folder, Entry file) throws IOException {
    Json.read(ByteBuffer.wrap(folder.read(file.name(), LONGEST_JSON)), MOST_VALUES);
    return Verdict.VALID;
  }

  private static Verdict shards(Folder folder, Entry index) throws IOException {
    for (var shard : ShardIndex.files(folder, index.name())) {
      if (!folder.hasFile(shard)) {
        return Verdict.torn(Level.L2, "it names " + Names.printable(shard) + ", which is missing");
      }
    }
    return Verdict.VALID;
  }
}
