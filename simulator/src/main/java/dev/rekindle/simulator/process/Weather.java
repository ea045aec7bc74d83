package dev.rekindle.simulator.process;

/**
 * How calls to the API server fare; each share is of all calls.
 *
 * @param lost no answer, and no effect
 * @param unheard no answer, though it took effect
 * @param late no answer in time; it takes effect at some later moment
 * @param doubled it takes effect twice
 * @param slow it takes seconds
 */
public record Weather(double lost, double unheard, double late, double doubled, double slow) {
  /** Every call is answered. */
  public static final Weather CALM = new Weather(0, 0, 0, 0, 0);

  /** What becomes of one call. */
  enum Fate {
    ANSWERED,
    LOST,
    UNHEARD,
    LATE,
    DOUBLED,
    SLOW
  }

  Fate fate(double chance) {
    double left = chance;
    if ((left -= lost) < 0) {
      return Fate.LOST;
    }
    if ((left -= unheard) < 0) {
      return Fate.UNHEARD;
    }
    if ((left -= late) < 0) {
      return Fate.LATE;
    }
    if ((left -= doubled) < 0) {
      return Fate.DOUBLED;
    }
    return left - slow < 0 ? Fate.SLOW : Fate.ANSWERED;
  }
}
