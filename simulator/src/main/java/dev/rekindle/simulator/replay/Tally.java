package dev.rekindle.simulator.replay;

/**
 * Where faults of a kind fell.
 *
 * @param hit on a node, or process, of the job
 * @param idle on a node that the job did not use
 * @param leftOut not brought about: no operator takes out a node that trains
 */
record Tally(int hit, int idle, int leftOut) {
  static final Tally NONE = new Tally(0, 0, 0);

  Tally plus(Tally other) {
    return new Tally(hit + other.hit, idle + other.idle, leftOut + other.leftOut);
  }
}
