package dev.rekindle.simulator.chaos;

import static java.time.Duration.ofMillis;

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
  private final Hits hits;
  private Instant calmFrom = Instant.MAX;

  /** Does each fault, and counts it by what it hits. */
  interface Hits {
    void hit(FaultArea area, Runnable fault);
  }

  FaultsAfterWrites(
      Simulation simulation,
      Targets targets,
      NodeFaults nodes,
      ControlPlaneFaults controlPlane,
      UserActions people,
      RandomGenerator random,
      Hits hits) {
    this.simulation = simulation;
    this.levers = simulation.levers();
    this.targets = targets;
    this.nodes = nodes;
    this.controlPlane = controlPlane;
    this.people = people;
    this.random = random;
    this.hits = hits;
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
      hits.hit(
          FaultArea.LEADER,
          () ->
              simulation.at(
                  simulation.now().plusMillis(random.nextInt(60)), levers::controllerDies));
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
      hits.hit(
          FaultArea.WATCH,
          () ->
              simulation
                  .fleet()
                  .breakWatch(
                      InformerKind.PODS,
                      ofMillis(random.nextInt(10_000)),
                      ofMillis(random.nextInt(5_000))));
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
    String node = targets.nodeOf(job);
    switch (random.nextInt(16)) {
      case 0, 1, 2 ->
          hits.hit(
              FaultArea.AGENT,
              () -> levers.agentDies(node, ofMillis(500 + random.nextInt(40_000))));
      case 3 ->
          hits.hit(FaultArea.AGENT, () -> levers.agentSlow(node, ofMillis(random.nextInt(40_000))));
      case 4 ->
          hits.hit(
              FaultArea.AGENT,
              () -> levers.agentCannotFreeze(node, ofMillis(random.nextInt(40_000))));
      case 5 -> hits.hit(FaultArea.MACHINE, () -> nodes.forAWhile(node, levers::nodeHangs));
      case 6 -> hits.hit(FaultArea.NODE_NETWORK, () -> nodes.forAWhile(node, levers::cutOff));
      case 7 -> hits.hit(FaultArea.POWER, () -> levers.nodeDies(node));
      case 8, 9, 10 -> hits.hit(FaultArea.LEADER, levers::controllerDies);
      case 11 ->
          hits.hit(
              FaultArea.RANK,
              () -> people.ifPresent(job, j -> levers.rankDies(j, random.nextInt(2), 137)));
      case 12 -> hits.hit(FaultArea.GPU, () -> levers.gpuLost(node));
      case 13 ->
          hits.hit(
              FaultArea.API_AWAY,
              () ->
                  controlPlane.apiDownUntil(simulation.now().plusMillis(random.nextInt(120_000))));
      case 14 ->
          hits.hit(
              FaultArea.LEADER,
              () -> simulation.fleet().pauseLeader(ofMillis(500 + random.nextInt(150_000))));
      default -> hits.hit(FaultArea.PEOPLE, people::act);
    }
  }
}
