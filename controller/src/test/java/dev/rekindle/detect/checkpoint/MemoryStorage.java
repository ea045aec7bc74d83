package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Source;
import dev.rekindle.detect.checkpoint.files.Storage;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A flat folder in memory. */
public record MemoryStorage(Map<String, byte[]> files) implements Storage {
  @Override
  public String name() {
    return "ckpt";
  }

  @Override
  public List<Entry> list(String folder, int most) {
    return files.entrySet().stream()
        .map(
            file ->
                new Entry(file.getKey(), Entry.Kind.FILE, file.getValue().length, Instant.EPOCH, 1))
        .toList();
  }

  @Override
  public List<String> names(String folder, int most) {
    return files.keySet().stream().limit(most).toList();
  }

  @Override
  public Source open(String file) throws NoSuchFileException {
    var bytes = files.get(file);
    if (bytes == null) {
      throw new NoSuchFileException(file);
    }
    return new Source() {
      @Override
      public long size() {
        return bytes.length;
      }

      @Override
      public ByteBuffer read(long position, int length) throws EOFException {
        if (position < 0 || length < 0 || position > bytes.length - length) {
          throw new EOFException("the file ends before what it says it holds");
        }
        return ByteBuffer.allocate(length)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(bytes, (int) position, length)
            .flip();
      }

      @Override
      public void close() {}
    };
  }
}
