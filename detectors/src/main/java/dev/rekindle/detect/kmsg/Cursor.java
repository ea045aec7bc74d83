package dev.rekindle.detect.kmsg;

import dev.rekindle.detect.state.StateFile;
import dev.rekindle.detect.state.StateFolder;
import java.io.IOException;
import java.util.OptionalLong;

/**
 * How far the kernel log was worked through, kept in a file: boot id and sequence number of the
 * newest record that the sink took.
 */
final class Cursor implements CursorStore {
  /** What the file holds. */
  record Position(String bootId, long sequence) {}

  private final StateFile<Position> file;

  Cursor(StateFolder folder) {
    file = folder.file("kmsg-cursor", "kmsg-cursor-2", Position.class, 1024).forced();
  }

  @Override
  public OptionalLong read(String bootId) throws IOException {
    return file.read().stream()
        .filter(position -> bootId.equals(position.bootId()))
        .mapToLong(Position::sequence)
        .findFirst();
  }

  @Override
  public void write(String bootId, long sequence) throws IOException {
    file.write(new Position(bootId, sequence));
  }
}
