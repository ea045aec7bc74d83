package dev.rekindle.simulator.world;

import java.util.Set;

/**
 * How the training of a job stands, without lag.
 *
 * @param moving whether steps are being made
 * @param step newest step made, 0 before the first
 * @param newestCheckpoint step of the newest checkpoint that is complete, 0 when there is none
 * @param attempt attempt of the processes that make steps, empty before the first restart
 * @param nodes nodes that they run on
 */
public record TrainingView(
    boolean moving, long step, long newestCheckpoint, String attempt, Set<String> nodes) {
  public TrainingView {
    nodes = Set.copyOf(nodes);
  }
}
