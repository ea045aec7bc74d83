package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.PodView;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.SimEvent.Kind;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * What people edit by hand: they take marks off nodes and pods, and off a job while a recovery has
 * it suspended, or change its replicas then.
 */
final class ManualEdits extends DisturbanceSource {
  /** By UID of a job, how many ranks its owner first requested. */
  private final Map<String, Integer> ranks = new HashMap<>();

  ManualEdits(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    if (random.nextInt(3) > 0) {
      return;
    }
    RandomTimes.plan(simulation, random, from, to, 4, this::strike);
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
      listener.did(Disturbance.FENCE_MARK_TAKEN, node, "our mark is taken off, its cordon stays");
      world.nodes().patch(node, n -> n.cordoned(n.unschedulable(), ""));
    }
  }

  private void takePodMark() {
    List<PodObject> marked =
        world.pods().list().stream().filter(p -> !p.view().attempt().isEmpty()).toList();
    if (!marked.isEmpty()) {
      PodObject pod = marked.get(random.nextInt(marked.size()));
      if (pod.view().phase() != PodView.Phase.RUNNING) {
        // Its process would start without an attempt, by which checks distinguish generations.
        return;
      }
      listener.did(Disturbance.POD_MARK_TAKEN, pod.meta().name(), "our mark is taken off");
      world.pods().patch(pod.meta().key(), PodObject::withoutMark);
    }
  }

  /** The next writes of a recovery find another size than it has planned with. */
  private void recovers(Change<RecoveryObject> change) {
    RecoveryObject after = change.after();
    if (after == null || isCalm() || random.nextInt(3) > 0) {
      return;
    }
    String key = after.view().job().toString();
    boolean mark = random.nextInt(3) == 0;
    simulation.at(
        simulation.now().plusMillis(random.nextInt(2_000)),
        () -> world.jobs().find(key).ifPresent(mark ? this::takeJobMark : this::resize));
  }

  /** From then on it is suspended by its user, who resumes it in a while, or never. */
  private void takeJobMark(JobObject job) {
    if (isCalm() || !job.suspend() || job.suspendedBy().isEmpty()) {
      return;
    }
    String key = job.key().toString();
    listener.did(Disturbance.JOB_MARK_TAKEN, key, "our mark is taken off, it stays suspended");
    world.jobs().patch(key, j -> j.withSuspend(j.suspend(), ""));
    Instant then = simulation.now().plusMillis(random.nextInt(60_000));
    if (random.nextBoolean() && then.isBefore(calm)) {
      simulation.at(then, () -> world.jobs().find(key).ifPresent(j -> resume(j, job.meta().uid())));
    }
  }

  private void resume(JobObject job, String uid) {
    if (job.meta().uid().equals(uid) && job.suspend() && job.suspendedBy().isEmpty()) {
      world.emit(Kind.FAULT, job.key().toString(), "its user resumes it");
      world.jobs().patch(job.meta().key(), j -> j.withSuspend(false, ""));
    }
  }

  private void resize(JobObject job) {
    int now = job.setup().ranks();
    int first = ranks.computeIfAbsent(job.meta().uid(), _ -> now);
    if (!isCalm() && first > 1 && !job.suspendedBy().isEmpty()) {
      int next = now == first ? first - 1 : first;
      listener.did(
          Disturbance.REPLICAS_CHANGED,
          job.key().toString(),
          "its user asks for %d ranks instead of %d".formatted(next, now));
      world.resize(job, next);
    }
  }
}
