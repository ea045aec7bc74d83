package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.process.Answers.Answer;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.world.QueueObject;
import dev.rekindle.simulator.world.Queueing;
import dev.rekindle.simulator.world.WorkloadObject;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Events around jobs that Kueue admits, in mid-run and in mid-recovery: Kueue evicts one, a person
 * deactivates the Workload, an administrator stops the queue or changes its quota, another job
 * waits for it, Kueue is away. Without Kueue nothing happens.
 */
final class QueueTroubles extends DisturbanceSource {
  private static final int MOST_AWAY_MILLIS = 30_000;
  private static final JobKey WAITING = new JobKey("team", "waiting");

  private final Queueing kueue;

  /** Namespace and name of Workloads that a person has deactivated. */
  private final Set<String> deactivated = new HashSet<>();

  private int quota;

  QueueTroubles(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
    this.kueue = world.queueing();
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    if (!kueue.isInstalled()) {
      return;
    }
    quota = queue().quota();
    RandomTimes.plan(simulation, random, from, to, 4, this::strike);
    if (random.nextBoolean()) {
      midway(8, this::strike);
    }
    kueue.queues().watch(this::held);
  }

  /** A user deletes the job for which a queue has just been held, and its release is refused. */
  private void held(Change<QueueObject> change) {
    QueueObject after = change.after();
    JobKey job = after == null ? null : after.view().holdingJob();
    boolean was = change.before() != null && change.before().view().holdingJob() != null;
    if (job == null || was || isCalm() || random.nextInt(3) == 0) {
      return;
    }
    simulation.at(
        simulation.now().plusMillis(random.nextInt(1_000)),
        () -> {
          if (world.jobs().find(job.toString()).isPresent()) {
            listener.did(
                Disturbance.DELETED_IN_THE_ACT, job.toString(), "its user deletes it in the act");
            world.jobs().delete(job.toString(), "", null);
            simulation
                .fleet()
                .answers()
                .add(
                    new Answer(
                        EnumSet.of(Call.RELEASE_QUEUE),
                        null,
                        503,
                        "the server is currently unable to handle the request",
                        Duration.ZERO,
                        soon(10_000)));
          }
        });
  }

  private void strike() {
    List<WorkloadObject> all = kueue.workloads().list();
    if (!all.isEmpty()) {
      strike(all.get(random.nextInt(all.size())).job().toString());
    }
  }

  private void strike(String job) {
    WorkloadObject workload = kueue.workloads().find(job).orElse(null);
    if (workload == null || isCalm()) {
      return;
    }
    switch (random.nextInt(8)) {
      case 0, 1 -> evict(workload);
      case 2, 3 -> deactivate(workload);
      case 4 -> stopQueue();
      case 5 -> changeQuota();
      case 6 -> submitAnother();
      default -> leave();
    }
  }

  private void evict(WorkloadObject workload) {
    if (workload.quotaReserved()) {
      did(workload.job().toString(), "it is preempted");
      kueue.evict(workload.meta().key());
    }
  }

  private void deactivate(WorkloadObject workload) {
    String key = workload.meta().key();
    if (!workload.active() || workload.finished()) {
      return;
    }
    did(key, "a person deactivates its Workload");
    deactivated.add(workload.meta().uid());
    kueue.workloads().patch(key, w -> w.withActive(false, ""));
    if (random.nextBoolean()) {
      simulation.at(soon(40_000), () -> activate(key));
    }
  }

  private void activate(String key) {
    kueue
        .workloads()
        .find(key)
        .filter(w -> deactivated.contains(w.meta().uid()) && !w.active())
        .filter(w -> w.stoppedBy().isEmpty())
        .ifPresent(_ -> kueue.workloads().patch(key, w -> w.withActive(true, "")));
  }

  private void stopQueue() {
    if (queue().held() && queue().heldFor().isEmpty()) {
      return;
    }
    did(QueueObject.NAME, "an administrator stops the queue");
    kueue.queues().patch(QueueObject.NAME, QueueObject::stopped);
    simulation.at(soon(40_000), this::openQueue);
  }

  private void openQueue() {
    if (queue().held() && queue().heldFor().isEmpty()) {
      kueue.queues().patch(QueueObject.NAME, QueueObject::open);
    }
  }

  private void changeQuota() {
    int next = queue().quota() == quota ? Math.max(1, quota - 1 - random.nextInt(3)) : quota;
    did(QueueObject.NAME, "its quota is %d".formatted(next));
    kueue.queues().patch(QueueObject.NAME, q -> q.withQuota(next));
  }

  private void submitAnother() {
    if (world.jobs().find(WAITING.toString()).isEmpty()) {
      did(WAITING.toString(), "another job is submitted to the queue");
      world.submit(JobSetup.of(WAITING, 2, 8, new OptIn.No()));
    }
  }

  private void leave() {
    did(QueueObject.NAME, "Kueue is away");
    kueue.awayUntil(soon(MOST_AWAY_MILLIS));
  }

  private void did(String subject, String text) {
    listener.did(Disturbance.QUEUE_TROUBLE, subject, text);
  }

  private QueueObject queue() {
    return kueue.queues().get(QueueObject.NAME);
  }

  private Instant soon(int millis) {
    Instant then = simulation.now().plus(Duration.ofMillis(1 + random.nextInt(millis)));
    return then.isBefore(calm) ? then : calm;
  }

  /** The queue is as it was, and what persons stopped continues, or most of it. */
  void calm() {
    if (!kueue.isInstalled()) {
      return;
    }
    kueue.awayUntil(simulation.now());
    openQueue();
    kueue.queues().patch(QueueObject.NAME, q -> q.withQuota(quota));
    for (WorkloadObject workload : kueue.workloads().list()) {
      if (random.nextInt(4) > 0) {
        activate(workload.meta().key());
      }
    }
    if (random.nextInt(3) > 0 && world.jobs().find(WAITING.toString()).isPresent()) {
      world.jobs().delete(WAITING.toString(), "", null);
    }
  }
}
