package dev.rekindle.controller.placement.plan;

import java.util.List;

/** A leaf group with places. */
final class Group {
  private final int[] path;
  private final int places;
  private final int nearness;
  private final List<Candidate> nodes;

  /**
   * @param path its number, and those of the groups that it is in, nearest first
   * @param nearness lowest level at which survivors are in its group; the height where there are
   *     none
   * @param nodes its candidates, the one to be taken first first
   */
  Group(int[] path, int nearness, List<Candidate> nodes) {
    this.path = path;
    this.nearness = nearness;
    this.nodes = List.copyOf(nodes);
    this.places = nodes.stream().mapToInt(Candidate::places).sum();
  }

  int[] path() {
    return path;
  }

  int leaf() {
    return path[0];
  }

  /** Places of all its candidates. */
  int places() {
    return places;
  }

  int nearness() {
    return nearness;
  }

  /** Whether survivors are in it. */
  boolean inGang() {
    return nearness == 0;
  }

  List<Candidate> nodes() {
    return nodes;
  }
}
