package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * What people edit by hand: they take marks off nodes and pods, and change the replicas of a job
 * while a recovery has it suspended.
 */
final class Hands {
  private final Simulation simulation;
  private final World world;
  private final RandomGenerator random;
  private final Tenants.Told told;

  /** By UID of a job, how many ranks its owner first asked for. */
  private final Map<String, Integer> ranks = new HashMap<>();

  private Instant calm = Instant.MAX;

  Hands(Simulation simulation, RandomGenerator random, Tenants.Told told) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.random = random;
    this.told = told;
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    if (random.nextInt(3) > 0) {
      return;
    }
    Moments.plan(simulation, random, from, to, 4, this::strike);
    if (random.nextBoolean()) {
      world.recoveries().watch(this::recovers);
    }
  }

  private void strike() {
    if (random.nextInt(3) == 0) {
      takeFenceMark();
    } else {
      takePodMark();
    }
  }

  private void takeFenceMark() {
    List<NodeObject> fenced =
        world.nodes().list().stream().filter(n -> !n.fencedBy().isEmpty()).toList();
    if (!fenced.isEmpty()) {
      String node = fenced.get(random.nextInt(fenced.size())).meta().name();
      told.did(Danger.FENCE_MARK_TAKEN, node, "our mark is taken off, its cordon stays");
      world.nodes().patch(node, n -> n.cordoned(n.unschedulable(), ""));
    }
  }

  private void takePodMark() {
    List<PodObject> marked =
        world.pods().list().stream().filter(p -> !p.view().attempt().isEmpty()).toList();
    if (!marked.isEmpty()) {
      PodObject pod = marked.get(random.nextInt(marked.size()));
      told.did(Danger.POD_MARK_TAKEN, pod.meta().name(), "our mark is taken off");
      world.pods().patch(pod.meta().key(), PodObject::withoutMark);
    }
  }

  /** The next writes of a recovery find another size than it has planned with. */
  private void recovers(Change<RecoveryObject> change) {
    RecoveryObject after = change.after();
    if (after == null || !simulation.now().isBefore(calm) || random.nextInt(3) > 0) {
      return;
    }
    String key = after.view().job().toString();
    simulation.at(
        simulation.now().plusMillis(random.nextInt(2_000)),
        () -> world.jobs().find(key).ifPresent(this::resize));
  }

  private void resize(JobObject job) {
    int now = job.setup().ranks();
    int first = ranks.computeIfAbsent(job.meta().uid(), _ -> now);
    if (simulation.now().isBefore(calm) && first > 1 && !job.suspendedBy().isEmpty()) {
      int next = now == first ? first - 1 : first;
      told.did(
          Danger.REPLICAS_CHANGED,
          job.key().toString(),
          "its user asks for %d ranks instead of %d".formatted(next, now));
      world.resize(job, next);
    }
  }
}
