package dev.rekindle.controller.placement.plan;

import java.util.List;

/**
 * Where the pods go that lose their node, all at once.
 *
 * @param moves one for each vacated seat, in the order of ranks
 * @param mostHops levels to climb from the old node to the new one, of the pod that goes farthest
 * @param sumHops the same over all of them
 * @param leafGroups leaf groups that the whole gang spans afterwards
 * @param crossings neighbours in the ring of ranks that are in different leaf groups
 * @param largestFreeBlock places that are left in the leaf group that has most of them
 */
public record GangPlan(
    List<Move> moves,
    int mostHops,
    int sumHops,
    int leafGroups,
    int crossings,
    int largestFreeBlock) {
  public GangPlan {
    moves = List.copyOf(moves);
  }

  /**
   * One pod.
   *
   * @param pod its name
   * @param from the node that it loses; may be gone
   * @param to the node that it should go to
   * @param hops levels to climb between them
   */
  public record Move(String pod, String from, String to, int hops) {}
}
