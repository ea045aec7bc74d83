package dev.rekindle.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checkpoints that are folders, one a step, and what a disk or a person makes of their files. */
final class CheckpointFolders {
  private static final Pattern FOLDER = Pattern.compile("(?:step|checkpoint)-(\\d+)");

  private CheckpointFolders() {}

  /** The folders of a job by their step. */
  static NavigableMap<Long, Path> of(TrainingJob job) {
    NavigableMap<Long, Path> found = new TreeMap<>();
    try (var files = Files.newDirectoryStream(job.checkpoints())) {
      for (Path file : files) {
        Matcher name = FOLDER.matcher(file.getFileName().toString());
        if (name.matches()) {
          found.put(Long.parseLong(name.group(1)), file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  /** The second half of a file is gone. */
  static void cutOff(Path file) {
    change(file, channel -> channel.truncate(channel.size() / 2));
  }

  /** What a clone without Git LFS has in place of a big file. */
  static void replaceByPointer(Path file) {
    String pointer =
        """
        version https://git-lfs.github.com/spec/v1
        oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
        size 114344
        """;
    change(
        file,
        channel -> {
          channel.truncate(0);
          channel.write(ByteBuffer.wrap(pointer.getBytes(StandardCharsets.US_ASCII)));
        });
  }

  /** Every number in a file of safetensors becomes NaN; its structure stays as it is. */
  static void fillWithNaN(Path safetensors) {
    change(
        safetensors,
        channel -> {
          ByteBuffer length = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
          channel.read(length, 0);
          long data = 8 + length.flip().getLong();
          ByteBuffer numbers =
              ByteBuffer.allocate(Math.toIntExact(channel.size() - data))
                  .order(ByteOrder.LITTLE_ENDIAN);
          while (numbers.remaining() >= Float.BYTES) {
            numbers.putFloat(Float.NaN);
          }
          channel.write(numbers.flip(), data);
        });
  }

  /** Pages of a file are lost; its length and its end stay as they are. */
  static void loseTheMiddle(Path file) {
    change(
        file,
        channel -> {
          int half = Math.toIntExact(channel.size() / 2);
          channel.write(ByteBuffer.allocate(half), channel.size() / 4);
        });
  }

  private interface Change {
    void make(FileChannel file) throws IOException;
  }

  /** Times stay as they are: a disk that loses something does not say when. */
  private static void change(Path file, Change change) {
    try {
      FileTime modified = Files.getLastModifiedTime(file);
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        change.make(channel);
      }
      Files.setLastModifiedTime(file, modified);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
