package dev.rekindle.detect.restart;

import dev.rekindle.detect.state.StateFile;
import dev.rekindle.detect.state.StateFolder;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * Keeps the journal in a file. It need not outlive the machine: frozen processes do not either, so
 * nothing is forced to the disk.
 */
public final class JournalFile implements JournalStore {
  /** A node runs some tens of training containers at most, each with a few hundred bytes. */
  private static final int MAX_BYTES = 4 << 20;

  /** What the file holds. */
  private record Journal(List<JournalEntry> entries) {
    private Journal {
      entries = List.copyOf(Objects.requireNonNull(entries, "entries"));
    }
  }

  private final StateFile<Journal> file;

  /** In that folder. */
  public JournalFile(StateFolder folder) {
    file = folder.file("restart-journal", "restart-journal-1", Journal.class, MAX_BYTES);
  }

  @Override
  public List<JournalEntry> read() throws IOException {
    return file.read().map(Journal::entries).orElse(List.of());
  }

  @Override
  public void write(Collection<JournalEntry> entries) throws IOException {
    file.write(new Journal(List.copyOf(entries)));
  }
}
