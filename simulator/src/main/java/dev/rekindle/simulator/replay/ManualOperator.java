package dev.rekindle.simulator.replay;

import dev.rekindle.controller.model.PodView;
import dev.rekindle.simulator.FaultInjector;
import dev.rekindle.simulator.Simulation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A person without the controller. Is alerted some time after training stands, comes some time
 * after that, and identifies the bad node at once: cordons it, suspends the job, removes what a
 * dead node left, and resumes. Stays until the job trains.
 */
final class ManualOperator {
  private static final Duration DRAIN = Duration.ofMinutes(1);
  private static final Duration CHECK_AGAIN = Duration.ofMinutes(5);

  private final Simulation simulation;
  private final Plan plan;
  private final Faults faults;
  private final Set<String> cordoned = new TreeSet<>();
  private final List<Instant> acted = new ArrayList<>();
  private int stop;

  ManualOperator(Simulation simulation, Plan plan, Faults faults) {
    this.simulation = simulation;
    this.plan = plan;
    this.faults = faults;
  }

  /** Training stands. */
  void stands() {
    int present = ++stop;
    later(plan.options().person.notice.plus(plan.respond()), () -> comes(present));
  }

  /** Training continues: nothing is left to do. */
  void moves() {
    stop++;
  }

  /** A node has been repaired. */
  void repaired(String node) {
    if (cordoned.remove(node)) {
      simulation.levers().uncordon(node);
    }
  }

  /** When the person began to act, each time. */
  List<Instant> acted() {
    return List.copyOf(acted);
  }

  private void comes(int which) {
    if (which == stop) {
      acted.add(simulation.now());
      restart(which);
    }
  }

  private void restart(int which) {
    FaultInjector levers = simulation.levers();
    for (String node : faults.out()) {
      if (cordoned.add(node)) {
        levers.cordon(node);
      }
    }
    levers.suspend(Setups.JOB);
    Duration work = plan.options().person.manualRestart;
    Duration drain = work.compareTo(DRAIN.multipliedBy(2)) < 0 ? work.dividedBy(2) : DRAIN;
    later(drain, () -> faults.out().stream().filter(faults::dead).forEach(levers::forceDeletePods));
    later(work, () -> resume(which));
  }

  private void resume(int which) {
    simulation.levers().resume(Setups.JOB);
    later(plan.restart().plus(CHECK_AGAIN), () -> checks(which));
  }

  private void checks(int which) {
    if (which != stop) {
      return;
    }
    List<PodView> pods = simulation.pods(Setups.JOB);
    boolean allPlaced = pods.stream().noneMatch(pod -> pod.live() && pod.node().isEmpty());
    boolean onBadNode = pods.stream().anyMatch(pod -> faults.out().contains(pod.node()));
    if (onBadNode || allPlaced) {
      restart(which);
    } else {
      // Pods wait for a node; there is nothing to do but wait with them.
      later(CHECK_AGAIN, () -> checks(which));
    }
  }

  private void later(Duration delay, Runnable what) {
    simulation.at(simulation.now().plus(delay), what);
  }
}
