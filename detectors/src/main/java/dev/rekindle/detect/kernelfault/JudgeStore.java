package dev.rekindle.detect.kernelfault;

import dev.rekindle.detect.rules.History;
import java.io.IOException;
import java.util.Optional;

/** Where the history of the judge outlives the process. */
public interface JudgeStore {
  /**
   * What is kept.
   *
   * @param sequence the newest kernel record that was judged, within the boot of the history
   * @param history what came of it and those before
   */
  record Kept(long sequence, History history) {}

  /**
   * What the agent before has kept; empty where there is nothing.
   *
   * @throws IOException when there is something that cannot be read
   */
  Optional<Kept> read() throws IOException;

  /**
   * Replaces it.
   *
   * @throws IOException when it cannot be written
   */
  void write(long sequence, History history) throws IOException;
}
