package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.recovery.HoldReason;
import dev.rekindle.simulator.FaultInjector;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.Machine;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** What users and SREs do: with their jobs, with nodes, and with what waits for approval. */
final class UserActions {
  /** No approval is good for less. */
  private static final Duration LEAST_APPROVAL = Duration.ofSeconds(100);

  private final Simulation simulation;
  private final FaultInjector levers;
  private final World world;
  private final Targets targets;
  private final NodeFaults nodes;
  private final RandomGenerator random;
  private final RandomGenerator approvals;
  private final Map<String, Instant> approved = new HashMap<>();
  private int late;

  /**
   * @param approvals how late approvals come
   */
  UserActions(
      Simulation simulation,
      Targets targets,
      NodeFaults nodes,
      RandomGenerator random,
      RandomGenerator approvals) {
    this.simulation = simulation;
    this.levers = simulation.levers();
    this.world = simulation.world();
    this.targets = targets;
    this.nodes = nodes;
    this.random = random;
    this.approvals = approvals;
  }

  /** One of them does something to a job or a node. */
  void act() {
    JobKey job = targets.job();
    switch (random.nextInt(9)) {
      case 0 -> levers.suspend(job);
      case 1 -> {
        levers.suspend(job);
        simulation.at(
            simulation.now().plusMillis(random.nextInt(20_000)),
            () -> ifPresent(job, levers::resume));
      }
      case 2 -> levers.resume(job);
      case 3 -> levers.deleteJob(job);
      case 4 -> resubmit(job);
      case 5 -> levers.optOut(job);
      case 6 -> levers.deleteRecoveries(job);
      case 7 -> levers.cordon(targets.node());
      default -> levers.repaired(targets.node());
    }
  }

  /** Deleted, and submitted again under its name. */
  void resubmit(JobKey job) {
    JobSetup again = world.jobs().get(job.toString()).setup();
    levers.deleteJob(job);
    simulation.at(simulation.now().plusMillis(random.nextInt(3_000)), () -> submit(again));
  }

  private void submit(JobSetup job) {
    if (world.jobs().find(job.key().toString()).isEmpty()) {
      world.submit(job);
    }
  }

  /** Does it to the job, if it is still there. */
  void ifPresent(JobKey job, Consumer<JobKey> lever) {
    if (world.jobs().find(job.toString()).isPresent()) {
      lever.accept(job);
    }
  }

  /** People who put nodes right, one after another. */
  void repairs(Instant calm) {
    for (NodeObject node : world.nodes().list()) {
      Machine machine = world.machine(node.meta().name());
      // What only many records together show is not noticed by people at once.
      if (!machine.fit() || (targets.isFaulty(machine.name()) && !machine.isWorn())) {
        levers.repaired(node.meta().name());
        break;
      }
    }
    Instant again = simulation.now().plusMillis(2_000 + random.nextInt(15_000));
    if (again.isBefore(calm)) {
      simulation.at(again, () -> repairs(calm));
    }
  }

  /** Puts nodes right, or most of them; takes away what others have left on them. */
  void repairAll() {
    for (NodeObject node : world.nodes().list()) {
      String name = node.meta().name();
      world.nodeConditions().clear(name);
      if (nodes.mendedByReboot(name) && random.nextBoolean()) {
        nodes.reboot(name, Duration.ofSeconds(1 + random.nextInt(60)));
      } else if (targets.isFaulty(name)
          && (world.machine(name).isWorn() || random.nextInt(8) == 0)) {
        repairLate(name);
      } else if (!world.machine(name).fit() || targets.isFaulty(name)) {
        levers.repaired(name);
      }
      if (node.unschedulable() && node.fencedBy().isEmpty()) {
        levers.uncordon(name);
      }
      if (!node.incidents().isEmpty() && random.nextInt(3) == 0) {
        levers.forgiven(name);
      }
    }
  }

  /**
   * The repair comes late, maybe after a failed reboot: a fault that is silent for long stands all
   * the same.
   */
  private void repairLate(String node) {
    late++;
    if (random.nextBoolean()) {
      nodes.reboot(node, Duration.ofSeconds(1 + random.nextInt(20)));
    }
    simulation.at(
        simulation.now().plusSeconds(100 + random.nextInt(60)),
        () -> {
          late--;
          levers.repaired(node);
        });
  }

  /** Whether a person will still act. */
  boolean unfinished() {
    return late > 0;
  }

  /** The approver has been away: what was held may be over by now. */
  void approveLate() {
    boolean waited =
        world.recoveries().list().stream()
            .anyMatch(r -> r.open() && !Boolean.TRUE.equals(r.spec().approved()) && approvable(r));
    late++;
    simulation.at(
        simulation.now().plusSeconds(waited ? 70 + approvals.nextInt(120) : 0),
        () -> {
          late--;
          approve();
        });
  }

  /** A person approves waiting recoveries, again and again. */
  void approve() {
    for (RecoveryObject recovery : world.recoveries().list()) {
      if (recovery.open()
          && !Boolean.TRUE.equals(recovery.spec().approved())
          && approvable(recovery)) {
        world.recoveries().patch(recovery.meta().key(), RecoveryObject::approved);
        approved.put(recovery.meta().key(), simulation.now());
      } else if (recovery.open() && isExpired(recovery)) {
        // To approve again is to take it back first; the next look approves.
        world.recoveries().patch(recovery.meta().key(), r -> r.approved(false));
      }
    }
    for (FaultObject fault : world.faults().list()) {
      if (random.nextInt(4) == 0 && world.nodes().find(fault.view().node()).isPresent()) {
        world.nodes().patch(fault.view().node(), n -> n.withApproved(fault.meta().name()));
      }
    }
    simulation.at(simulation.now().plusSeconds(20), this::approve);
  }

  /** What is said to have expired at once is not approved again. */
  private boolean isExpired(RecoveryObject recovery) {
    Instant since = approved.getOrDefault(recovery.meta().key(), Instant.MIN);
    return since.plus(LEAST_APPROVAL).isBefore(simulation.now())
        && Check.isHeld(recovery.status(), HoldReason.APPROVAL_EXPIRED);
  }

  private boolean approvable(RecoveryObject recovery) {
    return world
        .jobs()
        .find(recovery.view().job().toString())
        .filter(job -> job.optIn() instanceof OptIn.Yes)
        .isPresent();
  }
}
