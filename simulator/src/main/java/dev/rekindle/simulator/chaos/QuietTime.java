package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.FaultInjector;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.process.InformerKind;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Some minutes after everything has come to rest, with only such faults as a gang can train
 * through: controllers and agents die, lines are not read, an XID that is no evidence against the
 * hardware, a cordon by hand, an API server or a watch that is away for a while.
 */
final class QuietTime {
  private static final int SECONDS = 150;
  private static final int EVENTS = 5;

  private final Simulation simulation;
  private final World world;
  private final FaultInjector levers;
  private final RandomGenerator random;

  private QuietTime(Simulation simulation, RandomGenerator random) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.levers = simulation.levers();
    this.random = random;
  }

  /** Lets it pass, and inspects what is true as it does. */
  static void pass(
      Simulation simulation, RandomGenerator random, Invariants invariants, Duration look) {
    Instant end = simulation.now().plusSeconds(SECONDS);
    QuietTime quiet = new QuietTime(simulation, random);
    for (int i = 0; i < EVENTS; i++) {
      simulation.at(
          simulation.now().plusMillis(random.nextInt((SECONDS - 60) * 1_000)), quiet::happens);
    }
    while (simulation.now().isBefore(end)) {
      if (simulation.runUntil(() -> invariants.violation().isPresent(), look)) {
        return;
      }
      invariants.look();
    }
  }

  private void happens() {
    String node = node();
    switch (random.nextInt(8)) {
      case 0 -> levers.controllerDies();
      case 1 -> levers.agentDies(node, Duration.ofSeconds(1 + random.nextInt(30)));
      case 2, 3 -> loseLines();
      case 4 -> world.nodeAgents().blind(node, Duration.ofSeconds(random.nextInt(20)));
      case 5 -> world.hardware().applicationXid(node);
      case 6 -> levers.cordon(node);
      default ->
          simulation
              .fleet()
              .breakWatch(
                  InformerKind.RANKS,
                  Duration.ofSeconds(random.nextInt(15)),
                  Duration.ofSeconds(random.nextInt(5)));
    }
  }

  private String node() {
    List<NodeObject> nodes = world.nodes().list();
    return nodes.get(random.nextInt(nodes.size())).meta().name();
  }

  private void loseLines() {
    List<JobObject> jobs = world.jobs().list();
    if (jobs.isEmpty()) {
      return;
    }
    JobKey job = jobs.get(random.nextInt(jobs.size())).key();
    int rank = random.nextInt(2);
    // With no line read from any rank, a gang that trains looks like a stalled one (seeds 94786803
    // and 94807746).
    if (world.jobFaults().othersAreRead(job, rank)) {
      world.jobFaults().loseLines(job, rank);
    }
    simulation.at(
        simulation.now().plusSeconds(30 + random.nextInt(60)),
        () -> {
          if (world.jobs().find(job.toString()).isPresent()) {
            world.jobFaults().findLines(job, rank);
          }
        });
  }
}
