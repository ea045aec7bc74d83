package dev.rekindle.detect.checkpoint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Real files of PyTorch, and an archive with a hole too big for a repository. */
public final class Fixtures {
  private Fixtures() {}

  /** A file of torch.save. */
  public static byte[] torchSave() {
    return resource("step-00000050.pt");
  }

  /** A file as before version 1.6. */
  public static byte[] legacy() {
    return resource("legacy-00000050.pt");
  }

  private static byte[] resource(String name) {
    try (var in = Fixtures.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What an archive says of itself that is not so. */
  public enum Lie {
    NONE,
    FIRST_ENTRY_REACHES_INTO_SECOND,
    LAST_ENTRY_REACHES_INTO_DIRECTORY,
    GAP_BEHIND_DIRECTORY
  }

  /**
   * An archive whose second entry is behind so much data, sparse on disk: with 5 GiB, sizes and
   * offsets need ZIP64 in the directory, the entry and the end record.
   */
  public static void writeArchive(Path file, long dataSize, Lie lie) throws IOException {
    var data = "a/data/0".getBytes(StandardCharsets.US_ASCII);
    var pickle = "a/data.pkl".getBytes(StandardCharsets.US_ASCII);
    var pickleOffset = 30 + data.length + dataSize;
    var directoryOffset = pickleOffset + 30 + pickle.length;
    try (var channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.WRITE,
            StandardOpenOption.SPARSE)) {
      channel.write(local(data), 0);
      channel.write(local(pickle), pickleOffset);
      var tail = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
      central(tail, data, dataSize + (lie == Lie.FIRST_ENTRY_REACHES_INTO_SECOND ? 1 : 0), 0);
      central(tail, pickle, lie == Lie.LAST_ENTRY_REACHES_INTO_DIRECTORY ? 1 : 0, pickleOffset);
      var size = tail.position();
      tail.position(size + (lie == Lie.GAP_BEHIND_DIRECTORY ? 1 : 0));
      var end = directoryOffset + tail.position();
      tail.putInt(0x06064b50).putLong(44).putShort((short) 45).putShort((short) 45);
      tail.putInt(0).putInt(0).putLong(2).putLong(2).putLong(size).putLong(directoryOffset);
      tail.putInt(0x07064b50).putInt(0).putLong(end).putInt(1);
      tail.putInt(0x06054b50).putInt(0).putShort((short) 2).putShort((short) 2);
      tail.putInt(size).putInt(-1).putShort((short) 0);
      channel.write(tail.flip(), directoryOffset);
    }
  }

  private static ByteBuffer local(byte[] name) {
    return ByteBuffer.allocate(30 + name.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(0, 0x04034b50)
        .putShort(26, (short) name.length)
        .put(30, name);
  }

  private static void central(ByteBuffer out, byte[] name, long size, long offset) {
    var start = out.position();
    out.putInt(start, 0x02014b50).putInt(start + 20, -1).putInt(start + 24, -1);
    out.putShort(start + 28, (short) name.length).putShort(start + 30, (short) 34);
    out.putInt(start + 42, -1).position(start + 46).put(name);
    out.putShort((short) 0x5455).putShort((short) 2).putShort((short) 0);
    out.putShort((short) 1).putShort((short) 24).putLong(size).putLong(size).putLong(offset);
  }
}
