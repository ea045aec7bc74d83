package dev.rekindle.detect.checkpoint;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Judges one file of {@code torch.save} from outside. The writer puts the central directory last,
 * so an archive whose END record and directory are complete and fit the file was written to its end
 * (level L3: everything but the content of the tensors). Nothing is unpickled.
 */
final class TorchSave {
  private static final int ZIP_START = 0x04034b50;

  private static final byte[] LFS_POINTER =
      "version https://git-lfs.github.com/spec/v1".getBytes(StandardCharsets.US_ASCII);

  private TorchSave() {}

  /** The verdict; failing to read is a verdict too. A symbolic link is not followed. */
  static Verdict check(Path path) {
    try (var channel = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      return check(channel);
    } catch (EOFException e) {
      return Verdict.torn(String.valueOf(e.getMessage()));
    } catch (AccessDeniedException e) {
      return Verdict.unreadable("the file may not be read by this user");
    } catch (IOException e) {
      return Verdict.unreadable("reading failed: " + e.getClass().getSimpleName());
    }
  }

  private static Verdict check(FileChannel channel) throws IOException {
    var size = channel.size();
    if (size == 0) {
      return Verdict.torn("the file is empty");
    }
    var file = new TailReader(channel);
    var end = ZipEnd.find(file, size);
    if (end.isPresent()) {
      return new ZipEntries(file, end.get()).check();
    }
    var start = file.read(0, (int) Math.min(size, 64));
    if (start.remaining() >= 4 && start.getInt(0) == ZIP_START) {
      return Verdict.torn(
          "no whole zip END record in the last bytes of "
              + size
              + ": cut off, or still being written");
    }
    if (startsWith(start, LFS_POINTER)) {
      return Verdict.unreadable("a pointer of Git LFS, and not the file itself");
    }
    if (allZero(start)) {
      return Verdict.torn("the file begins with zeros: never written");
    }
    // A pickle of protocol 2 to 5 starts with the PROTO opcode.
    if (start.get(0) == (byte) 0x80
        && start.remaining() > 1
        && start.get(1) >= 2
        && start.get(1) <= 5) {
      return Verdict.unreadable(
          "a bare pickle (torch.save before version 1.6): its end is not known without running"
              + " it");
    }
    return Verdict.unreadable("not a file of torch.save");
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
