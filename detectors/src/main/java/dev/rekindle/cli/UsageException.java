package dev.rekindle.cli;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Objects;

/**
 * What was given on the command line cannot be used. The message says why to the person who gave
 * it.
 */
public final class UsageException extends Exception {
  /** For that reason, in one line. */
  public UsageException(String why) {
    super(why);
  }

  /** A file could not be read or written: {@code "x.csv cannot be read: no such file"}. */
  public static UsageException of(String what, IOException e) {
    return new UsageException(what + ": " + reason(e));
  }

  private static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "no such file";
      case AccessDeniedException _ -> "permission denied";
      case NotDirectoryException _ -> "not a directory";
      case CharacterCodingException _ -> "not UTF-8 text";
      case FileSystemException f when f.getReason() != null -> f.getReason();
      default -> Objects.requireNonNullElse(e.getMessage(), "input/output error");
    };
  }

  /**
   * Checks the value of an option.
   *
   * @throws UsageException where it is out of bounds
   */
  public static void checkRange(String option, long value, long least, long most)
      throws UsageException {
    if (value < least || value > most) {
      throw new UsageException(
          most == Long.MAX_VALUE
              ? "%s is %d, not at least %d".formatted(option, value, least)
              : "%s is %d, not from %d to %d".formatted(option, value, least, most));
    }
  }
}
