package dev.rekindle.detect.kernelfault;

import dev.rekindle.detect.rules.History;
import dev.rekindle.detect.state.StateFile;
import dev.rekindle.detect.state.StateFolder;
import java.io.IOException;
import java.util.Optional;

/**
 * Keeps what the judge remembers in a file. The objects in the API server could not say it all:
 * they do not know what was ignored, and a judge that waits for them would be blind while the API
 * server is away.
 */
public final class JudgeFile implements JudgeStore {
  private static final int MAX_BYTES = 16 << 20;

  private final StateFile<Kept> file;

  /** In that folder. */
  public JudgeFile(StateFolder folder) {
    file = folder.file("judge", "judge-4", Kept.class, MAX_BYTES);
  }

  @Override
  public Optional<Kept> read() throws IOException {
    Optional<Kept> kept = file.read();
    if (kept.isPresent() && kept.get().history() == null) {
      throw new IOException("the judge's file has no history");
    }
    return kept;
  }

  @Override
  public void write(long sequence, History history) throws IOException {
    file.write(new Kept(sequence, history));
  }
}
