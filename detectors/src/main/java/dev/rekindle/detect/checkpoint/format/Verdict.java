package dev.rekindle.detect.checkpoint.format;

import dev.rekindle.detect.checkpoint.files.Names;
import java.util.Optional;

/**
 * How one generation was judged.
 *
 * @param kind the verdict
 * @param level the last rung that was checked: one that is valid has passed it, one that is torn
 *     has failed it
 * @param reason one clause; why it is not valid, or what else is to be known of one that is, else
 *     empty
 * @param ranks how many ranks have saved it, where the number that loads it must be a multiple of
 *     that; 0 where any number can, or it is not known
 */
public record Verdict(Kind kind, Level level, String reason, int ranks) {
  private static final int LONGEST = 240;

  /** Complete by its own structure. */
  public static final Verdict VALID = valid(Level.L3);

  public Verdict {
    reason = reason.length() <= LONGEST ? reason : reason.substring(0, LONGEST - 3) + "...";
  }

  /**
   * Complete. No level below {@link Level#L3} is: a file may be cut off that was compared with
   * nothing.
   */
  public static Verdict valid(Level level) {
    if (level.compareTo(Level.L3) < 0) {
      throw new IllegalArgumentException("not valid at " + level);
    }
    return new Verdict(Kind.VALID, level, "", 0);
  }

  /** Something that belongs to it is cut off, missing, or of another generation. */
  public static Verdict torn(Level level, String reason) {
    return new Verdict(Kind.TORN, level, reason, 0);
  }

  /** Nothing can be said. */
  public static Verdict unknown(Level level, String reason) {
    return new Verdict(Kind.UNKNOWN, level, reason, 0);
  }

  /** The same with something else that is to be known; that it had before is kept. */
  public Verdict withNote(String note) {
    return note.isEmpty()
        ? this
        : new Verdict(kind, level, reason.isEmpty() ? note : reason, ranks);
  }

  /** The same of a checkpoint that only a multiple of so many ranks can load. */
  public Verdict ofRanks(int ranks) {
    return new Verdict(kind, level, reason, ranks);
  }

  /** The same, said of one file of a generation. */
  public Verdict in(String file) {
    return new Verdict(kind, level, Names.printable(file) + ": " + reason, ranks);
  }

  /** Whether it may be resumed from. */
  public boolean isValid() {
    return kind == Kind.VALID;
  }

  /** The verdicts. */
  public enum Kind {
    /** Complete. */
    VALID("Valid"),
    /** Cut off, or parts of it are missing or of another generation. */
    TORN("Torn"),
    /** Nothing can be said: it cannot be judged, or may not be read. */
    UNKNOWN("Unknown");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    /** The word that stands in reports. */
    public String word() {
      return word;
    }

    /** That of the word, in any case. */
    public static Optional<Kind> of(String word) {
      for (var kind : values()) {
        if (kind.word.equalsIgnoreCase(word)) {
          return Optional.of(kind);
        }
      }
      return Optional.empty();
    }
  }
}
