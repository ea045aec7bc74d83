package dev.rekindle.detect.restart;

import java.io.IOException;
import java.util.Collection;
import java.util.List;

/** Where notes outlive the agent's process. */
public interface JournalStore {
  /**
   * The notes of the agent before.
   *
   * @throws IOException when there is something that cannot be read or does not hold notes
   */
  List<JournalEntry> read() throws IOException;

  /**
   * Replaces all of them.
   *
   * @throws IOException when they cannot be kept; those before are there still
   */
  void write(Collection<JournalEntry> notes) throws IOException;
}
