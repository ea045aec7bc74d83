package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.FaultInjector;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.process.InformerKind;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Faults that hit in the middle of something: right after a write of controller or agents. */
final class FaultsAfterWrites {
  private final Simulation simulation;
  private final FaultInjector levers;
  private final Targets targets;
  private final NodeFaults nodes;
  private final ControlPlaneFaults controlPlane;
  private final UserActions people;
  private final RandomGenerator random;
  private int faults;
  private Instant calmFrom = Instant.MAX;

  FaultsAfterWrites(
      Simulation simulation,
      Targets targets,
      NodeFaults nodes,
      ControlPlaneFaults controlPlane,
      UserActions people,
      RandomGenerator random) {
    this.simulation = simulation;
    this.levers = simulation.levers();
    this.targets = targets;
    this.nodes = nodes;
    this.controlPlane = controlPlane;
    this.people = people;
    this.random = random;
  }

  /** In half of the runs, until the calm begins. */
  void plan(Instant calm) {
    calmFrom = calm;
    World world = simulation.world();
    if (random.nextBoolean()) {
      world.restarts().watch(change -> strikeSoon(change.object().view().job()));
      world.orders().watch(change -> strikeSoon(change.object().job()));
      world.recoveries().watch(this::moved);
      world.jobs().watch(this::suspended);
    }
  }

  /** Faults that have been done so far. */
  int faults() {
    return faults;
  }

  /** Between what a phase begins with, or ends with, and what follows. */
  private void moved(Change<RecoveryObject> change) {
    RecoveryObject before = change.before();
    RecoveryObject after = change.after();
    if (before == null || after == null) {
      return;
    }
    RecoveryPhase phase = phase(after);
    if (phase == null || phase == phase(before) || !simulation.now().isBefore(calmFrom)) {
      return;
    }
    if (phase == RecoveryPhase.DRAINING) {
      strikeSoon(after.view().job());
    } else if (phase.isTerminal() && random.nextInt(8) == 0) {
      faults++;
      simulation.at(simulation.now().plusMillis(random.nextInt(60)), levers::controllerDies);
    }
  }

  private static @Nullable RecoveryPhase phase(RecoveryObject recovery) {
    RecoveryStatus status = recovery.status();
    return status == null ? null : status.phase();
  }

  /** Right after a suspension the list of pods that the controller goes by is an old one. */
  private void suspended(Change<JobObject> change) {
    JobObject before = change.before();
    JobObject after = change.after();
    if (before != null
        && after != null
        && !before.suspend()
        && after.suspend()
        && simulation.now().isBefore(calmFrom)
        && random.nextInt(6) == 0) {
      faults++;
      simulation
          .fleet()
          .breakWatch(
              InformerKind.PODS,
              Duration.ofMillis(random.nextInt(10_000)),
              Duration.ofMillis(random.nextInt(5_000)));
    }
  }

  /** Right after something was ordered or reported, when much is under way. */
  private void strikeSoon(JobKey job) {
    if (simulation.now().isBefore(calmFrom) && random.nextInt(8) == 0) {
      Instant soon = simulation.now().plusMillis(random.nextInt(1_500));
      simulation.at(soon.isBefore(calmFrom) ? soon : simulation.now(), () -> strike(job));
    }
  }

  private void strike(JobKey job) {
    faults++;
    String node = targets.nodeOf(job);
    switch (random.nextInt(16)) {
      case 0, 1, 2 -> levers.agentDies(node, Duration.ofMillis(500 + random.nextInt(40_000)));
      case 3 -> levers.agentSlow(node, Duration.ofMillis(random.nextInt(40_000)));
      case 4 -> levers.agentCannotFreeze(node, Duration.ofMillis(random.nextInt(40_000)));
      case 5 -> nodes.forAWhile(node, levers::nodeHangs);
      case 6 -> nodes.forAWhile(node, levers::cutOff);
      case 7 -> levers.nodeDies(node);
      case 8, 9, 10 -> levers.controllerDies();
      case 11 -> people.ifPresent(job, j -> levers.rankDies(j, random.nextInt(2), 137));
      case 12 -> levers.gpuLost(node);
      case 13 -> controlPlane.apiDownUntil(simulation.now().plusMillis(random.nextInt(120_000)));
      case 14 -> simulation.fleet().pauseLeader(Duration.ofMillis(500 + random.nextInt(150_000)));
      default -> people.act();
    }
  }
}
