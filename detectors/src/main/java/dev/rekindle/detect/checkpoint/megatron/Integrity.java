package dev.rekindle.detect.checkpoint.megatron;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.json.Json;
import dev.rekindle.detect.checkpoint.json.JsonException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares every file with the SHA-256 that {@code integrity.json} has of it. */
final class Integrity {
  private static final String NAME = "integrity.json";
  private static final int MOST_BYTES = 16 << 20;
  private static final int MOST_VALUES = 1_000_000;
  private static final int PIECE = 1 << 20;

  private Integrity() {}

  /** The verdict after every byte was read; {@code whole} where there are no checksums. */
  static Verdict judge(Folder folder, Verdict whole) throws IOException {
    if (!folder.hasFile(NAME)) {
      return whole;
    }
    Map<String, @Nullable Object> read;
    try {
      read = Json.object(ByteBuffer.wrap(folder.read(NAME, MOST_BYTES)), MOST_VALUES);
    } catch (JsonException e) {
      return Verdict.torn(Level.L4, NAME + ": " + e.getMessage());
    }
    if (!"sha256".equals(read.get("algorithm"))
        || !(read.get("files") instanceof Map<?, ?> files)
        || files.isEmpty()) {
      return Verdict.unknown(Level.L4, NAME + " has no checksums by sha256");
    }
    for (var file : files.entrySet()) {
      var name = String.valueOf(file.getKey());
      if (folder.entry(name).filter(Entry::isFile).isEmpty()) {
        return Verdict.torn(Level.L4, Names.printable(name) + " is missing");
      }
      if (!digest(folder, name).equalsIgnoreCase(String.valueOf(file.getValue()))) {
        return Verdict.torn(
            Level.L4, Names.printable(name) + " has another checksum than " + NAME + " says");
      }
    }
    return Verdict.valid(Level.L4);
  }

  private static String digest(Folder folder, String name) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has it", e);
    }
    try (var source = folder.open(name)) {
      for (long at = 0; at < source.size(); at += PIECE) {
        digest.update(source.read(at, (int) Math.min(PIECE, source.size() - at)));
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
