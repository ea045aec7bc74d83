package dev.rekindle.detect.checkpoint.safetensors;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Source;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.json.Json;
import dev.rekindle.detect.checkpoint.json.JsonException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Judges one safetensors file: eight bytes with the length of the header, the header as JSON, and
 * tensors without a gap up to the end of the file. So the header says how long the file is.
 */
public final class Safetensors {
  /** The format allows 100 MB; real headers have some hundred bytes a tensor. */
  private static final int MOST_HEADER = 16 << 20;

  private static final int MOST_VALUES = 2_000_000;
  private static final byte[] LFS_POINTER = "version ".getBytes(StandardCharsets.US_ASCII);

  private Safetensors() {}

  /**
   * Judges a file of a folder.
   *
   * @throws IOException when it cannot be read
   */
  public static Verdict judge(Folder folder, Entry entry) throws IOException {
    if (!entry.isFile()) {
      return Verdict.unknown(Level.L2, "not a file that may be read");
    }
    try (var source = folder.open(entry.name())) {
      return judge(source);
    }
  }

  private static Verdict judge(Source file) throws IOException {
    var size = file.size();
    if (size < 8) {
      return Verdict.torn(Level.L2, size == 0 ? "the file is empty" : "the header is cut off");
    }
    var start = file.read(0, 8);
    var length = start.getLong(0);
    if (start.equals(ByteBuffer.wrap(LFS_POINTER))) {
      return Verdict.unknown(Level.L3, "a pointer of Git LFS, and not the file itself");
    }
    if (length <= 0) {
      return Verdict.torn(Level.L3, "the file begins with zeros: never written");
    }
    if (length > size - 8) {
      return Verdict.torn(Level.L3, "the header has " + length + " bytes, the file only " + size);
    }
    if (length > MOST_HEADER) {
      return Verdict.unknown(
          Level.L2, "the header has " + length + " bytes; at most " + MOST_HEADER + " are read");
    }
    var header = file.read(8, (int) length);
    if (header.get(0) == 0) {
      return Verdict.torn(Level.L3, "the header is zeros: never written");
    }
    try {
      var end = end(Json.object(header, MOST_VALUES));
      return size == 8 + length + end
          ? Verdict.VALID
          : Verdict.torn(
              Level.L3, "%d bytes, its header says %d".formatted(size, 8 + length + end));
    } catch (JsonException e) {
      return Verdict.unknown(Level.L3, "the header cannot be read: " + e.getMessage());
    }
  }

  /** Where the last tensor ends, behind the header. */
  private static long end(Map<String, @Nullable Object> header) throws JsonException {
    var end = 0L;
    for (var tensor : header.entrySet()) {
      if (tensor.getKey().equals("__metadata__")) {
        continue;
      }
      if (!(tensor.getValue() instanceof Map<?, ?> facts)
          || !(facts.get("data_offsets") instanceof List<?> offsets)
          || offsets.size() != 2
          || !(offsets.get(0) instanceof Long from)
          || !(offsets.get(1) instanceof Long to)
          || from < 0
          || to < from) {
        throw JsonException.of("a tensor without its place");
      }
      end = Math.max(end, to);
    }
    return end;
  }
}
