package dev.rekindle.simulator.drill;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.simulator.FaultInjector;
import dev.rekindle.simulator.Simulation;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** A cluster with a job in training and a reporter that runs after every event. */
final class DrillCluster {
  /** Nothing in a drill takes longer unless there is no controller. */
  static final Duration PATIENCE = Duration.ofMinutes(30);

  private static final Duration LOOK = Duration.ofMillis(250);

  /** Who is hit: the pod's node and its rank. */
  record Victim(String node, int rank) {}

  private final Simulation simulation;
  private final ClusterReporter reporter;
  private final Victim victim;

  private DrillCluster(Simulation simulation, ClusterReporter reporter, Victim victim) {
    this.simulation = simulation;
    this.reporter = reporter;
    this.victim = victim;
  }

  /** Lets the job train until it has left some checkpoints behind. */
  static DrillCluster train(Simulation simulation, ClusterReporter reporter, long seed) {
    SplittableRandom chance = new SplittableRandom(seed);
    int checkpoints = 3;
    int further = 5 + chance.nextInt(DrillSetup.CHECKPOINT_EVERY - 10);
    long step = (long) checkpoints * DrillSetup.CHECKPOINT_EVERY + further;
    boolean there =
        until(
            simulation,
            reporter,
            () -> simulation.training(DrillSetup.JOB).step() >= step,
            PATIENCE);
    if (!there) {
      throw new IllegalStateException(
          "the job does not train: " + simulation.training(DrillSetup.JOB));
    }
    List<PodView> pods = simulation.pods(DrillSetup.JOB);
    PodView pod = pods.get(chance.nextInt(pods.size()));
    return new DrillCluster(simulation, reporter, new Victim(pod.node(), pod.rank()));
  }

  FaultInjector levers() {
    return simulation.levers();
  }

  JobKey job() {
    return DrillSetup.JOB;
  }

  Victim victim() {
    return victim;
  }

  String leafOf(String node) {
    return simulation.nodes().stream()
        .filter(n -> n.name().equals(node))
        .map(n -> Objects.requireNonNullElse(n.labels().get(DrillSetup.LEAF), ""))
        .findFirst()
        .orElseThrow();
  }

  /** Runs until a condition holds; false if it does not hold in time. */
  boolean until(BooleanSupplier so) {
    return until(simulation, reporter, so, PATIENCE);
  }

  /** Runs on for a while. */
  void runFor(Duration time) {
    var _ = until(simulation, reporter, () -> false, time);
  }

  /** Steps are no events, so a check is due even where nothing else happens. */
  private static boolean until(
      Simulation simulation, ClusterReporter reporter, BooleanSupplier so, Duration limit) {
    Instant end = simulation.now().plus(limit);
    BooleanSupplier lookingOn =
        () -> {
          reporter.observe();
          return so.getAsBoolean();
        };
    while (simulation.now().isBefore(end)) {
      if (simulation.runUntil(lookingOn, LOOK)) {
        return true;
      }
    }
    return false;
  }

  /** The gang is being frozen or drained, and half of it is. */
  boolean halfStopped() {
    int frozen =
        simulation.world().gang(simulation.job(DrillSetup.JOB).uid()).processes().frozen().size();
    int gone = DrillSetup.RANKS - simulation.pods(DrillSetup.JOB).size();
    return inPhase(RecoveryPhase.DRAINING) && frozen + gone >= DrillSetup.RANKS / 2;
  }

  /** Resumed, and the first new pods or containers are there. */
  boolean startsAgain() {
    return inPhase(RecoveryPhase.VERIFYING) && !simulation.pods(DrillSetup.JOB).isEmpty();
  }

  /** A node of the gang that is not hit. */
  String bystander() {
    return simulation.pods(DrillSetup.JOB).stream()
        .map(PodView::node)
        .filter(node -> !node.isEmpty() && !node.equals(victim.node()))
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  private boolean inPhase(RecoveryPhase phase) {
    return recoveries().stream().anyMatch(r -> r.status() != null && r.status().phase() == phase);
  }

  List<RecoveryView> recoveries() {
    return simulation.recoveries(DrillSetup.JOB);
  }
}
