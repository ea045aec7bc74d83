package dev.rekindle.simulator.process;

/**
 * How calls to the API server fare; each share is of all calls.
 *
 * @param lost no answer, and no effect
 * @param unheard no answer, though it took effect
 * @param late no answer in time; it takes effect at some later moment
 * @param doubled it takes effect twice
 * @param slow it takes seconds
 * @param refused it is answered 403, 413, 422, 429, 500 or 503, and has no effect
 */
public record NetworkFaults(
    double lost, double unheard, double late, double doubled, double slow, double refused) {
  /** Every call is answered. */
  public static final NetworkFaults CALM = new NetworkFaults(0, 0, 0, 0, 0, 0);

  /** What becomes of one call. */
  enum Fate {
    ANSWERED,
    LOST,
    UNHEARD,
    LATE,
    DOUBLED,
    SLOW,
    REFUSED
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
    if ((left -= slow) < 0) {
      return Fate.SLOW;
    }
    return left - refused < 0 ? Fate.REFUSED : Fate.ANSWERED;
  }
}
