package dev.rekindle.simulator.world;

import dev.rekindle.detect.restart.JournalEntry;
import dev.rekindle.detect.restart.JournalStore;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The notes of a node's agent, which outlive its process and the boot of the machine. */
final class NodeDisk implements JournalStore {
  private final Supplier<Instant> clock;
  private final Consumer<JournalEntry> written;
  private List<JournalEntry> notes = List.of();
  private Instant fullUntil = Instant.MIN;

  /**
   * An empty one.
   *
   * @param written called for each note that was not there before, before anything follows from it
   */
  NodeDisk(Supplier<Instant> clock, Consumer<JournalEntry> written) {
    this.clock = clock;
    this.written = written;
  }

  @Override
  public List<JournalEntry> read() {
    return notes;
  }

  @Override
  public void write(Collection<JournalEntry> next) throws IOException {
    if (fullUntil.isAfter(clock.get())) {
      throw new IOException("No space left on device");
    }
    List<JournalEntry> before = notes;
    notes = List.copyOf(next);
    for (JournalEntry note : notes) {
      if (!before.contains(note)) {
        written.accept(note);
      }
    }
  }

  List<JournalEntry> notes() {
    return notes;
  }

  /** Whether there is a note of that pod. */
  boolean knows(String podUid) {
    for (JournalEntry note : notes) {
      if (note.podUid().equals(podUid)) {
        return true;
      }
    }
    return false;
  }

  /** Nothing can be written until then. */
  void fullUntil(Instant until) {
    fullUntil = until;
  }
}
