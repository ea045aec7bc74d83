package dev.rekindle.detect.state;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A value in a file: a line with the version of the form, then JSON. A write replaces the file as a
 * complete, so that a process that dies leaves the old value or the new one. Used by one thread.
 *
 * @param <T> type of the value
 */
public final class StateFile<T> {
  private final Path file;
  private final String version;
  private final Class<T> type;
  private final int maxBytes;
  private final boolean forced;
  private final KubernetesSerialization json;

  StateFile(
      Path file,
      String version,
      Class<T> type,
      int maxBytes,
      boolean forced,
      KubernetesSerialization json) {
    this.file = file;
    this.version = version;
    this.type = type;
    this.maxBytes = maxBytes;
    this.forced = forced;
    this.json = json;
  }

  /**
   * The same file, forced to the disk by each write. What is written without may be lost, or come
   * back empty, when the machine loses its power.
   */
  public StateFile<T> forced() {
    return new StateFile<>(file, version, type, maxBytes, true, json);
  }

  /**
   * What was written last, also by an earlier process; empty when there is no file.
   *
   * @throws IOException when there is a file that cannot be read, is too big, has another version
   *     or holds something else
   */
  public Optional<T> read() throws IOException {
    byte[] bytes;
    try {
      if (Files.size(file) > maxBytes) {
        throw new IOException("%s is larger than %d bytes".formatted(file, maxBytes));
      }
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException firstStart) {
      return Optional.empty();
    }
    var text = new String(bytes, StandardCharsets.UTF_8);
    var header = version + "\n";
    if (!text.startsWith(header)) {
      throw new IOException("%s does not begin with the version %s".formatted(file, version));
    }
    T value;
    try {
      value = json.unmarshal(text.substring(header.length()), type);
    } catch (RuntimeException e) {
      throw new IOException("%s does not hold %s".formatted(file, type.getSimpleName()), e);
    }
    if (value == null) {
      throw new IOException("%s does not hold %s".formatted(file, type.getSimpleName()));
    }
    return Optional.of(value);
  }

  /**
   * Replaces it.
   *
   * @throws IOException when it cannot be written; the former value is there still
   */
  public void write(T value) throws IOException {
    var temporary = file.resolveSibling(file.getFileName() + ".tmp");
    var bytes =
        ByteBuffer.wrap((version + "\n" + json.asJson(value)).getBytes(StandardCharsets.UTF_8));
    try (var channel =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      if (forced) {
        channel.force(true);
      }
    }
    Files.move(
        temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
