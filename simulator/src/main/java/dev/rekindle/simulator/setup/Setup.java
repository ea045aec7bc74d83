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
 * @param quota pods that Kueue admits at one time, and through it all jobs go; 0 for a cluster
 *     without Kueue
 * @param rails what Spiderpool offers
 * @param devices who says how devices are
 */
public record Setup(
    long seed,
    List<NodeSetup> nodes,
    List<JobSetup> jobs,
    Policy policy,
    Timing timing,
    int controllers,
    int quota,
    RailSetup rails,
    DeviceStack devices) {
  public Setup {
    nodes = List.copyOf(nodes);
    jobs = List.copyOf(jobs);
  }

  /** One without Kueue and Spiderpool. */
  public Setup(
      long seed,
      List<NodeSetup> nodes,
      List<JobSetup> jobs,
      Policy policy,
      Timing timing,
      int controllers) {
    this(seed, nodes, jobs, policy, timing, controllers, 0, RailSetup.NONE, DeviceStack.NONE);
  }

  /** The same under a Kueue with that quota. */
  public Setup queued(int pods) {
    return new Setup(seed, nodes, jobs, policy, timing, controllers, pods, rails, devices);
  }

  /** The same with other nodes and jobs. */
  public Setup with(List<NodeSetup> others, List<JobSetup> otherJobs) {
    return new Setup(seed, others, otherJobs, policy, timing, controllers, quota, rails, devices);
  }

  /** The same with a Spiderpool. */
  public Setup with(RailSetup spiderpool) {
    return new Setup(seed, nodes, jobs, policy, timing, controllers, quota, spiderpool, devices);
  }

  /** The same where such components say how devices are. */
  public Setup with(DeviceStack stack) {
    return new Setup(seed, nodes, jobs, policy, timing, controllers, quota, rails, stack);
  }
}
