package dev.rekindle.controller.placement.plan;

/**
 * A node that can take pods of the gang.
 *
 * @param node name of the node
 * @param places pods of the gang that fit on it now, at least 1
 * @param secondChoice whether it is taken only where the others do not suffice: a lemon, another
 *     driver than the survivors have, a leaf group that may be failing
 * @param warm whether a warm spare of the gang is on it; of two alike the one with it is taken
 * @param incidents its recent incidents; of two alike the one with fewer is taken
 */
public record Candidate(
    String node, int places, boolean secondChoice, boolean warm, int incidents) {
  /** One without a spare. */
  public Candidate(String node, int places, boolean secondChoice, int incidents) {
    this(node, places, secondChoice, false, incidents);
  }

  public Candidate {
    if (places < 1) {
      throw new IllegalArgumentException("no place on " + node);
    }
  }

  /** The same with other places. */
  public Candidate withPlaces(int others) {
    return new Candidate(node, others, secondChoice, warm, incidents);
  }
}
