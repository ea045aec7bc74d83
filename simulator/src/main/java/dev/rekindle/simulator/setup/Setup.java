package dev.rekindle.simulator.setup;

import dev.rekindle.controller.model.Policy;
import java.util.List;

/**
 * A cluster at the start of its time.
 *
 * @param seed of all chance: the same setup and seed make the same run
 * @param nodes its nodes
 * @param jobs its jobs
 * @param policy the RecoveryPolicy named {@code default}
 * @param timing how long things take
 * @param controllers replicas of the controller; 0 for a cluster without it
 */
public record Setup(
    long seed,
    List<NodeSetup> nodes,
    List<JobSetup> jobs,
    Policy policy,
    Timing timing,
    int controllers) {
  public Setup {
    nodes = List.copyOf(nodes);
    jobs = List.copyOf(jobs);
  }
}
