package dev.rekindle.detect.checkpoint.safetensors;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Source;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.json.JsonException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Judges one file of safetensors: eight bytes with the length of a header, the header, which is
 * JSON and says where each tensor is, and the tensors without a gap. So its length is known
 * exactly. There are no checksums.
 */
public final class Safetensors {
  /** Far above the header of any model seen; the writer itself refuses 100 MB. */
  private static final int LONGEST_HEADER = 32 * 1024 * 1024;

  private static final byte[] LFS_POINTER =
      "version https://git-lfs.github.com/spec/v1".getBytes(StandardCharsets.US_ASCII);

  private Safetensors() {}

  /**
   * Judges a file of a folder.
   *
   * @throws IOException when it cannot be read
   */
  public static Verdict judge(Folder folder, Entry entry) throws IOException {
    if (!entry.isFile()) {
      return Verdict.unknown(
          Level.L2,
          entry.kind() == Entry.Kind.OUTSIDE
              ? "a link that leads out of the directory"
              : "not a regular file");
    }
    try (var source = folder.open(entry.name())) {
      return judge(source);
    }
  }

  /**
   * Judges an open file.
   *
   * @throws IOException when reading fails, or would cost too much
   */
  static Verdict judge(Source file) throws IOException {
    var size = file.size();
    if (size == 0) {
      return Verdict.torn(Level.L2, "the file is empty");
    }
    var start = file.read(0, (int) Math.min(size, 64));
    if (startsWith(start, LFS_POINTER)) {
      return Verdict.unknown(Level.L3, "a pointer of Git LFS, and not the file itself");
    }
    if (size < 8) {
      return Verdict.torn(Level.L3, "the file has " + size + " bytes: its header is cut off");
    }
    var length = start.getLong(0);
    if (length == 0) {
      return Verdict.torn(Level.L3, "the file begins with zeros: never written");
    }
    if (length < 0 || length > LONGEST_HEADER) {
      return Verdict.unknown(Level.L3, "not a file of safetensors, or its header is too long");
    }
    if (length > size - 8) {
      return Verdict.torn(Level.L3, "the file has " + size + " bytes: its header is cut off");
    }
    SafetensorsHeader header;
    try {
      header = SafetensorsHeader.read(file.read(8, (int) length));
    } catch (JsonException e) {
      return Verdict.unknown(Level.L3, "the header cannot be read: " + e.getMessage());
    }
    var end = 8 + length + header.dataBytes();
    if (size != end) {
      return Verdict.torn(Level.L3, "the file has " + size + " bytes, its header says " + end);
    }
    return ZeroTail.begins(file, header.starts(8 + length))
        ? Verdict.unknown(
            Level.L3, "zeros from within a tensor to the end: perhaps lost with the power")
        : Verdict.VALID;
  }

  private static boolean startsWith(ByteBuffer bytes, byte[] wanted) {
    return bytes.remaining() >= wanted.length
        && bytes.slice(0, wanted.length).equals(ByteBuffer.wrap(wanted));
  }
}
