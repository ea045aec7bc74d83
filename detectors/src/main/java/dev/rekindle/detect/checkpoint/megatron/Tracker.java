package dev.rekindle.detect.checkpoint.megatron;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Names;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * What {@code latest_checkpointed_iteration.txt} says. Megatron writes it last of all, as verl
 * does, and resumes from nothing else.
 *
 * @param entry the file
 * @param iteration the newest iteration; -1 where the text is {@code release}, or makes no sense
 * @param doubt why it makes no sense, a clause; else empty
 */
public record Tracker(Entry entry, long iteration, String doubt) {
  /** Its name. */
  public static final String NAME = "latest_checkpointed_iteration.txt";

  private static final int MOST_BYTES = 1_000;

  /**
   * Reads it; empty where there is none.
   *
   * @throws IOException when it cannot be read
   */
  public static Optional<Tracker> read(Folder root) throws IOException {
    var entry = root.entry(NAME).filter(Entry::isFile);
    if (entry.isEmpty()) {
      return Optional.empty();
    }
    var text = new String(root.read(NAME, MOST_BYTES), StandardCharsets.UTF_8).strip();
    if (text.matches("\\d{1,18}")) {
      return Optional.of(new Tracker(entry.get(), Long.parseLong(text), ""));
    }
    return Optional.of(
        new Tracker(
            entry.get(),
            -1,
            text.equals("release")
                ? ""
                : NAME
                    + (text.isEmpty()
                        ? " is empty"
                        : " says '" + Names.printable(text) + "', which is no iteration")));
  }
}
