package dev.rekindle.detect.flightrecorder;

import org.jspecify.annotations.Nullable;

/**
 * Whether a rank still makes the calls that it has made before. A training loop repeats itself: the
 * rank that calls something else, or leaves a call out, does what it has not done in its own
 * earlier steps.
 *
 * @param period after so many calls they begin again; 0 where they do not repeat
 * @param departure the last call that was another one than before; null where there is none
 * @param since calls that were made since, with it
 */
public record CallPattern(int period, @Nullable Departure departure, int since) {
  /** Of a rank whose calls do not repeat, or are not known. */
  public static final CallPattern UNKNOWN = new CallPattern(0, null, 0);

  /**
   * A call that the rank has not made at this place before.
   *
   * @param group in which it was made, for people
   * @param sequence its number there
   * @param called what was called
   * @param usual what was called there a round before
   */
  public record Departure(String group, long sequence, String called, String usual) {}

  /** Rounds that make a habit. */
  static final int ROUNDS = 2;

  /** Whether its newest calls repeat, or did until it left their order. */
  public boolean known() {
    return period > 0;
  }

  /** Whether it has left the order of its calls, at any time that is known. */
  public boolean left() {
    return departure != null;
  }

  /** Whether it has left it, and has not made two whole rounds since. */
  public boolean leftLately() {
    return departure != null && since <= ROUNDS * period;
  }
}
