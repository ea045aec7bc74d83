package dev.rekindle.detect.rdma;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Keeps the memory in a file of JSON, which is replaced as a whole. */
final class NicMemoryFile {
  /** A port needs about 2 kB. */
  private static final int MAX_BYTES = 1 << 20;

  private final Path file;
  private final KubernetesSerialization json;

  NicMemoryFile(Path file, KubernetesSerialization json) {
    this.file = file;
    this.json = json;
  }

  /**
   * The memory of the agent before.
   *
   * @throws IOException when there is a file that cannot be read or holds something else
   */
  NicMemory read() throws IOException {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new IOException(file + " is too big");
      }
      return json.unmarshal(Files.readString(file), NicMemory.class);
    } catch (NoSuchFileException firstStart) {
      return NicMemory.EMPTY;
    } catch (RuntimeException e) {
      throw new IOException(file + " does not hold what was read from ports", e);
    }
  }

  /** Replaces the file. */
  void write(NicMemory memory) throws IOException {
    var temporary = file.resolveSibling(file.getFileName() + ".tmp");
    Files.writeString(temporary, json.asJson(memory), StandardCharsets.UTF_8);
    Files.move(
        temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
