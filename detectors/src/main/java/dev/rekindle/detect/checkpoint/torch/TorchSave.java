package dev.rekindle.detect.checkpoint.torch;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Source;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.zip.ZipArchive;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Judges one file of {@code torch.save} from outside. The writer puts the central directory last,
 * so an archive whose END record and directory are complete and fit the file was written to its end
 * (level L3: everything but the content of the tensors). Nothing is unpickled.
 */
public final class TorchSave {
  private static final int ZIP_START = 0x04034b50;

  private static final byte[] LFS_POINTER =
      "version https://git-lfs.github.com/spec/v1".getBytes(StandardCharsets.US_ASCII);

  private TorchSave() {}

  /**
   * Judges a file of a folder.
   *
   * @throws IOException when it cannot be read
   */
  public static Verdict judge(Folder folder, Entry entry, Level upTo) throws IOException {
    return switch (entry.kind()) {
      case FOLDER, OTHER -> Verdict.unknown(Level.L2, "not a regular file");
      case OUTSIDE -> Verdict.unknown(Level.L2, "a link that leads out of the directory");
      case FILE -> {
        try (var source = folder.open(entry.name())) {
          yield judge(source, upTo);
        }
      }
    };
  }

  /**
   * Judges an open file.
   *
   * @throws IOException when reading fails
   */
  public static Verdict judge(Source file, Level upTo) throws IOException {
    var size = file.size();
    if (size == 0) {
      return Verdict.torn(Level.L2, "the file is empty");
    }
    var archive = ZipArchive.judge(file, upTo);
    if (archive.isPresent()) {
      return archive.get();
    }
    var start = file.read(0, (int) Math.min(size, 64));
    if (start.remaining() >= 4 && start.getInt(0) == ZIP_START) {
      return Verdict.torn(
          Level.L3,
          "no whole zip END record in the last bytes of "
              + size
              + ": cut off, or still being written");
    }
    if (startsWith(start, LFS_POINTER)) {
      return Verdict.unknown(Level.L3, "a pointer of Git LFS, and not the file itself");
    }
    if (allZero(start)) {
      return Verdict.torn(Level.L3, "the file begins with zeros: never written");
    }
    // A pickle of protocol 2 to 5 starts with the PROTO opcode.
    if (start.get(0) == (byte) 0x80
        && start.remaining() > 1
        && start.get(1) >= 2
        && start.get(1) <= 5) {
      return Verdict.unknown(
          Level.L3,
          "a bare pickle (torch.save before version 1.6): its end is not known without running"
              + " it");
    }
    return Verdict.unknown(Level.L3, "not a file of torch.save");
  }

  private static boolean startsWith(ByteBuffer bytes, byte[] wanted) {
    return bytes.remaining() >= wanted.length
        && bytes.slice(0, wanted.length).equals(ByteBuffer.wrap(wanted));
  }

  private static boolean allZero(ByteBuffer bytes) {
    for (int i = 0; i < bytes.remaining(); i++) {
      if (bytes.get(i) != 0) {
        return false;
      }
    }
    return true;
  }
}
