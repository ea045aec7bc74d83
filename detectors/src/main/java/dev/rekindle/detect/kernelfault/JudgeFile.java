package dev.rekindle.detect.kernelfault;

import dev.rekindle.detect.rules.History;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/**
 * Keeps what the judge remembers in a file, which is replaced as a whole. The objects in the API
 * server could not say it all: they do not know what was ignored, and a judge that waits for them
 * would be blind while the API server is away.
 */
public final class JudgeFile implements JudgeStore {
  private static final String VERSION = "judge-2";
  private static final long LONGEST = 16L << 20;

  private final Path file;
  private final KubernetesSerialization json;

  /** In that file. */
  public JudgeFile(Path file, KubernetesSerialization json) {
    this.file = file;
    this.json = json;
  }

  @Override
  public Optional<Kept> read() throws IOException {
    try {
      if (Files.size(file) > LONGEST) {
        throw new IOException(file + " is too big to be a judge's memory");
      }
      var kept = json.unmarshal(Files.readString(file), Kept.class);
      if (kept == null || !VERSION.equals(kept.version()) || kept.history() == null) {
        throw new IOException(file + " does not hold a judge's memory");
      }
      return Optional.of(kept);
    } catch (NoSuchFileException firstStart) {
      return Optional.empty();
    } catch (RuntimeException e) {
      throw new IOException(file + " does not hold a judge's memory", e);
    }
  }

  @Override
  public void write(long sequence, History history) throws IOException {
    var temporary = file.resolveSibling(file.getFileName() + ".tmp");
    Files.writeString(temporary, json.asJson(new Kept(VERSION, sequence, history)));
    Files.move(
        temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
