package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.World;
import java.util.List;
import java.util.random.RandomGenerator;

/** The nodes and jobs that a fault hits, drawn from the seed. */
final class Targets {
  private final World world;
  private final JobSetup first;
  private final RandomGenerator random;

  /**
   * @param first the job that is submitted again where no job is left
   */
  Targets(World world, JobSetup first, RandomGenerator random) {
    this.world = world;
    this.first = first;
    this.random = random;
  }

  /** Any node. */
  String node() {
    List<NodeObject> nodes = world.nodes().list();
    return nodes.get(random.nextInt(nodes.size())).meta().name();
  }

  /** Any job. */
  JobKey job() {
    List<JobObject> jobs = world.jobs().list();
    if (jobs.isEmpty()) {
      // All were deleted: the first of the setup is submitted again.
      world.submit(first);
      return first.key();
    }
    return jobs.get(random.nextInt(jobs.size())).key();
  }

  /** A node of the job, where it has any. */
  String nodeOf(JobKey job) {
    List<String> nodes =
        world.podsOf(job).stream().map(PodObject::node).filter(n -> !n.isEmpty()).toList();
    return nodes.isEmpty() ? node() : nodes.get(random.nextInt(nodes.size()));
  }

  /** A node with a fault, rather than another one. */
  String faultyNode() {
    List<FaultObject> all = world.faults().list();
    return all.isEmpty() || random.nextInt(4) == 0
        ? node()
        : all.get(random.nextInt(all.size())).view().node();
  }

  /** A node whose GPU is flaky already, rather than another one. */
  String flakyNode() {
    for (NodeObject node : world.nodes().list()) {
      if (world.machine(node.meta().name()).flaky()) {
        return node.meta().name();
      }
    }
    return node();
  }

  /** Whether a fault of the node is known. */
  boolean isFaulty(String node) {
    for (FaultObject fault : world.faults().all()) {
      if (fault.view().node().equals(node)) {
        return true;
      }
    }
    return false;
  }
}
