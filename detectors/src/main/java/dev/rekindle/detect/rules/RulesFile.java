package dev.rekindle.detect.rules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The shipped rules with those of a file applied before them, read again when the file changes. A
 * file that is wrong changes nothing: the last good rules stay. {@link #check} is for one thread,
 * {@link #rules} for any.
 */
public final class RulesFile {
  private static final long LONGEST = 1 << 20;

  private final Path file;
  private volatile Rules rules = Rules.shipped();
  private String seen = "";

  /** Rules over which this file is laid; it may not be there. */
  public RulesFile(Path file) {
    this.file = file;
  }

  /** The rules that hold. */
  public Rules rules() {
    return rules;
  }

  /** What a check of the file has found. */
  public sealed interface Check {
    /** The same file as before. */
    record Unchanged() implements Check {}

    /** Another file, whose rules hold from now on. */
    record Changed() implements Check {}

    /**
     * Another file that is wrong.
     *
     * @param reason with line and field
     */
    record Wrong(String reason) implements Check {}
  }

  /** Checks the file for a change. A file that is gone means the shipped rules. */
  public Check check() {
    String text;
    try {
      if (Files.size(file) > LONGEST) {
        throw new IOException("it is too big");
      }
      text = Files.readString(file);
    } catch (NoSuchFileException absent) {
      text = "";
    } catch (IOException e) {
      return wrong("unreadable", file + ": cannot be read: " + e);
    }
    if (text.equals(seen)) {
      return new Check.Unchanged();
    }
    try {
      rules = text.isBlank() ? Rules.shipped() : Rules.shipped().with(file.toString(), text);
      seen = text;
      return new Check.Changed();
    } catch (IllegalArgumentException e) {
      return wrong(text, Optional.ofNullable(e.getMessage()).orElse("the file is wrong"));
    }
  }

  /** Reported once for each content. */
  private Check wrong(String content, String reason) {
    if (content.equals(seen)) {
      return new Check.Unchanged();
    }
    seen = content;
    return new Check.Wrong(reason);
  }
}
