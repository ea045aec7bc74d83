package dev.rekindle.detect.restart;

import dev.rekindle.detect.restart.JournalEntry.Mark;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Keeps the notes in a file, which is replaced as a whole. It need not outlive the machine: frozen
 * processes do not either, so nothing is forced to the disk.
 */
public final class JournalFile implements JournalStore {
  private static final String VERSION = "restart-notes-1";
  private static final int FIELDS = 9;
  private final Path file;

  /** A file, which need not be there yet. */
  public JournalFile(Path file) {
    this.file = file;
  }

  @Override
  public List<JournalEntry> read() throws IOException {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (NoSuchFileException firstStart) {
      return List.of();
    }
    if (lines.isEmpty() || !lines.getFirst().equals(VERSION)) {
      throw new IOException(file + " does not hold notes");
    }
    List<JournalEntry> notes = new ArrayList<>();
    for (var line : lines.subList(1, lines.size())) {
      var words = line.split("\t", -1);
      try {
        notes.add(
            new JournalEntry(
                words[0],
                words[1].isEmpty() ? null : Instant.parse(words[1]),
                words[2],
                words[3],
                words[4],
                Integer.parseInt(words[5]),
                words[6],
                Mark.valueOf(words[7]),
                Instant.parse(words[FIELDS - 1])));
      } catch (RuntimeException e) {
        throw new IOException(file + " does not hold notes: " + line, e);
      }
    }
    return notes;
  }

  @Override
  public void write(Collection<JournalEntry> notes) throws IOException {
    var text = new StringBuilder(VERSION).append('\n');
    for (var note : notes) {
      text.append(
              String.join(
                  "\t",
                  note.orderUid(),
                  note.until() == null ? "" : note.until().toString(),
                  note.pod(),
                  note.podUid(),
                  note.container(),
                  String.valueOf(note.restartCount()),
                  note.how(),
                  note.mark().name(),
                  note.since().toString()))
          .append('\n');
    }
    var temporary = file.resolveSibling(file.getFileName() + ".tmp");
    Files.writeString(temporary, text, StandardCharsets.UTF_8);
    Files.move(
        temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
