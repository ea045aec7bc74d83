package dev.rekindle.detect.checkpoint.orbax;

import dev.rekindle.detect.checkpoint.MemoryStorage;
import dev.rekindle.detect.checkpoint.files.Budget;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.LimitException;
import dev.rekindle.detect.checkpoint.files.Limits;
import dev.rekindle.detect.zstd.ZstdException;
import dev.rekindle.detect.zstd.ZstdInputStream;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** Feeds bytes to the readers of Orbax's indexes. */
public final class OcdbtFuzz {
  private static final int MANIFEST = 0x0cdb3a2a;
  private static final String FILE = "a";
  private static final int MOST_DECODED = 4 * 1024 * 1024;

  /** Up to the table of files: an identity, limits, and no compression. */
  private static final byte[] CONFIGURATION = new byte[16 + 1 + 1 + 1 + 1 + 1];

  private OcdbtFuzz() {}

  /** A compressed frame. */
  public static void zstd(byte[] input) throws IOException {
    try {
      new ZstdInputStream(new ByteArrayInputStream(input), MOST_DECODED).skipNBytes(MOST_DECODED);
    } catch (ZstdException | EOFException e) {
      // Cut off, too long or no Zstandard.
    }
  }

  /** The content of a manifest, or that of a node of the height that its first byte says. */
  public static void index(byte[] input) throws IOException {
    if (input.length == 0) {
      return;
    }
    try {
      Database.check(folder(input));
    } catch (LimitException e) {
      // Judged as Unknown.
    } catch (OcdbtException e) {
      if (e.verdict().reason().length() > 300) {
        throw new AssertionError("a reason of " + e.verdict().reason().length(), e);
      }
    }
  }

  static Folder folder(byte[] input) {
    var content = Arrays.copyOfRange(input, 1, input.length);
    var node = framed(TreeNode.MAGIC, input);
    var manifest =
        input[0] == 'm' ? framed(MANIFEST, content) : framed(MANIFEST, root(input[0], node.length));
    var storage = new MemoryStorage(Map.of(Manifest.NAME, manifest, FILE, node));
    return Folder.root(storage, new Budget(Limits.USUAL, System::nanoTime));
  }

  /** One version, whose root is all of the file. */
  private static byte[] root(byte height, int length) {
    return concat(
        CONFIGURATION,
        new byte[] {1, 1, 0, 'a'},
        new byte[] {1, 1, height, 0, 0},
        new byte[] {(byte) (length | 128), (byte) ((length >> 7) | 128)},
        new byte[] {(byte) ((length >> 14) & 127)});
  }

  private static byte[] framed(int magic, byte[] content) {
    int length = Framed.SHORTEST + content.length;
    var bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(Integer.reverseBytes(magic)).putLong(length).putShort((short) 0).put(content);
    var sum = new CRC32C();
    sum.update(bytes.array(), 0, length - Integer.BYTES);
    return bytes.putInt((int) sum.getValue()).array();
  }

  static byte[] concat(byte[]... parts) {
    var all = ByteBuffer.allocate(Arrays.stream(parts).mapToInt(part -> part.length).sum());
    for (var part : parts) {
      all.put(part);
    }
    return all.array();
  }

  /** A manifest, a node with values and one with nodes below it. */
  public static List<byte[]> indexes() {
    return List.of(
        concat(new byte[] {'m'}, root((byte) 0, 100)),
        concat(
            new byte[] {0, 1, 1, 0, 'a', 2, 0, 1, 1},
            "bc".getBytes(StandardCharsets.US_ASCII),
            new byte[] {5, 20, 0, 1, 0, 0},
            "value".getBytes(StandardCharsets.US_ASCII)),
        new byte[] {1, 1, 1, 0, 'a', 1, 1, 0, 'b', 0, 0, 20, 1, 20, 0});
  }

  /** Frames of the reference library: both kinds of prefix codes, tables of its own, a match. */
  public static List<byte[]> frames() {
    return Stream.of(
            "KLUv/WBaAYUGAKIKFQrgbSkldzfqm6kC3+vzqQ9XEyn+cFwfpZiriRRzNXE0mrQUF9cPggIxizBXH7AQxaIdqk/"
                + "0e31KVrRmqaC4HepQed9rTkU7uKhXn4urf8VIQO1QNDmoYQoaoqGkbs0QJIWVeRAQxDDapjUxMpCyOd8W"
                + "lZm+BO447f/qqyGNEVwVsu70k0QbbggC5qQCdT255KyXkMYtRdHbAjzcBJLCOkIJNe/GfQQuSAfoQ2iL5"
                + "/unGq4pqBPc0bVSIxyuoQdRFfVzsDWQTWcQtt5dpQo=",
            "KLUv/WCQAIUFAKKMFg/QmDpjiAhHZMAfuI1smQIfoENIS1I+GqxSRmIicxhK98ioLpRbMT3qzG10bOTyuSVyGik"
                + "JHRFH3hYxXKN13grYyTMXlFnwfHaN68WVrna2Co5bcrQfTkXfPSQgIALDnDwPhLIbsAZ2E+IFhEe7K9YN"
                + "krifw0FHvtp5hS3kXPY27TC8ILA+/GxIF+ba5W0hVtDlMrZx1b85wnJXzU3FXw9bD6cvLBsvI8UBbmcd",
            "KLUv/SB+rQAAcHBhcmFtcy9sYXllcnMvAQAt0qkE")
        .map(Base64.getDecoder()::decode)
        .toList();
  }
}
