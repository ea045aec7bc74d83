package dev.rekindle.console;

import dev.rekindle.page.ListPage;
import dev.rekindle.page.RecoveryRow;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Where a list continues: after the last recovery that was given out, by name, so that a list that
 * changes meanwhile neither repeats nor leaves out what did not change its place.
 *
 * @param held whether that one was held
 * @param open whether it was open
 * @param began when it was opened
 * @param namespace its namespace
 * @param name its name
 */
record Cursor(boolean held, boolean open, Instant began, String namespace, String name) {
  private static final int LONGEST = 1024;
  private static final int PARTS = 5;

  /** The order of {@link ListPage#ORDER}, of what a cursor keeps of a row. */
  private static final Comparator<Cursor> ORDER =
      Comparator.comparing((Cursor c) -> !c.held)
          .thenComparing(c -> !c.open)
          .thenComparing(Cursor::began, Comparator.reverseOrder())
          .thenComparing(Cursor::namespace)
          .thenComparing(Cursor::name);

  static Cursor of(RecoveryRow row) {
    return new Cursor(
        row.phase().equals("Held"), row.open(), row.began(), row.namespace(), row.name());
  }

  /** Whether the row comes after it. */
  boolean isBefore(RecoveryRow row) {
    return ORDER.compare(this, of(row)) < 0;
  }

  /** As it stands in a link. */
  String text() {
    String words =
        String.join("\n", List.of("" + held, "" + open, began.toString(), namespace, name));
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(words.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The one that a request names; empty without.
   *
   * @throws Refused where it is none
   */
  static Optional<Cursor> named(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(parse(text));
  }

  /**
   * Reads one.
   *
   * @throws Refused where it is none
   */
  static Cursor parse(String text) {
    try {
      if (text.length() > LONGEST) {
        throw new Refused(Refused.Why.BAD_CURSOR);
      }
      String[] words =
          new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8).split("\n", -1);
      if (words.length != PARTS) {
        throw new Refused(Refused.Why.BAD_CURSOR);
      }
      return new Cursor(
          Boolean.parseBoolean(words[0]),
          Boolean.parseBoolean(words[1]),
          Instant.parse(words[2]),
          words[3],
          words[4]);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new Refused(Refused.Why.BAD_CURSOR, e);
    }
  }
}
