package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.api.Collection;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.world.SimEvent.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Kueue with one queue, as it was measured: it admits by quota, oldest first; suspends and
 * un-suspends jobs and reverts what others write there; gives the quota of an inactive Workload
 * away before its pods are gone; puts the annotations of the templates back whenever it stops a
 * job; and where the containers or the size of a job change, it makes the Workload again while the
 * job is admitted, and activates it while it is not. Nothing moves, and no chance is drawn, where
 * it is not installed.
 */
public final class Queueing {
  private static final Duration REACTS = Duration.ofMillis(50);

  private final World world;
  private final Collection<WorkloadObject> workloads;
  private final Collection<QueueObject> queues;
  private Instant away = Instant.MIN;
  private boolean installed;

  Queueing(World world, Collection<WorkloadObject> workloads, Collection<QueueObject> queues) {
    this.world = world;
    this.workloads = workloads;
    this.queues = queues;
  }

  /** Installs it, with quota for so many pods. */
  public void install(int quota) {
    installed = true;
    queues.create(new QueueObject(Meta.draft("", QueueObject.NAME, ""), quota, false, "", null));
    world
        .jobs()
        .watch(
            change -> {
              later(change.key());
              if (asksForOther(change)) {
                whenThere(() -> changed(change.key()));
              }
            });
    workloads.watch(change -> later(change.object().job().toString()));
    queues.watch(_ -> whenThere(this::admit));
  }

  /** Whether there is a Kueue. */
  public boolean isInstalled() {
    return installed;
  }

  /** Workloads. */
  public Collection<WorkloadObject> workloads() {
    return workloads;
  }

  /** ClusterQueues. */
  public Collection<QueueObject> queues() {
    return queues;
  }

  /** Puts a job that has just been submitted into the queue: its webhook suspends it. */
  public void queue(JobObject job) {
    // A copy may carry the marks of another job; Kueue has written none of them.
    workloads
        .find(job.key().toString())
        .ifPresent(w -> workloads.remove(w.meta().key(), w.meta().uid()));
    world.jobs().patch(job.meta().key(), j -> j.with(b -> b.queue("q").suspend(true)));
    workloads.create(WorkloadObject.draft(job));
    admit();
  }

  /** It does nothing until then. */
  public void awayUntil(Instant back) {
    away = back;
  }

  /** Takes the quota of a job away, for one of higher priority that needs it for a moment. */
  public void evict(String key) {
    world.emit(Kind.JOB, key, "Kueue evicts it");
    workloads.patch(key, w -> w.with(b -> b.quotaReserved(false).admitted(false)));
  }

  private void later(String job) {
    whenThere(() -> sync(job));
  }

  private void whenThere(Runnable reaction) {
    world
        .loop()
        .after(
            REACTS,
            () -> {
              if (world.now().isBefore(away)) {
                world.loop().at(away, () -> whenThere(reaction));
              } else {
                reaction.run();
              }
            });
  }

  private void sync(String key) {
    WorkloadObject workload = workloads.find(key).orElse(null);
    if (workload == null) {
      return;
    }
    JobObject job = world.jobs().find(key).orElse(null);
    if (job == null || !job.meta().uid().equals(workload.meta().owner())) {
      workloads.remove(key, workload.meta().uid());
      admit();
    } else if (job.status().finish() != Finish.NOT_FINISHED) {
      workloads.patch(key, w -> w.with(b -> b.finished(true).quotaReserved(false).admitted(false)));
      admit();
    } else if (!workload.active()) {
      stop(job, workload);
    } else if (!workload.quotaReserved() && job.suspend()) {
      // It waits for quota, no matter who stopped it before.
      world.jobs().patch(key, j -> j.withSuspend(true, ""));
      admit();
    } else if (workload.admitted() == job.suspend()) {
      boolean suspend = !workload.admitted();
      world.emit(Kind.JOB, key, suspend ? "Kueue suspends" : "Kueue un-suspends");
      world.jobs().patch(key, j -> suspend ? stopped(j, "") : j.withSuspend(false, ""));
    }
  }

  private static JobObject stopped(JobObject job, String by) {
    return job.withSuspend(true, by).with(job.template().withOwnAnnotations());
  }

  private void stop(JobObject job, WorkloadObject workload) {
    String key = job.key().toString();
    if (!job.suspend()) {
      world.emit(Kind.JOB, key, "Kueue suspends, as its Workload is not active");
      world.jobs().patch(key, j -> stopped(j, workload.stoppedBy()));
    } else if (workload.quotaReserved()) {
      workloads.patch(key, w -> w.with(b -> b.quotaReserved(false).admitted(false)));
      admit();
    }
  }

  private static boolean asksForOther(Change<JobObject> change) {
    JobObject before = change.before();
    JobObject after = change.after();
    return before != null && after != null && !containers(before).equals(containers(after));
  }

  /** What Kueue compares with the Workload. */
  private static List<Object> containers(JobObject job) {
    JobSetup s = job.setup();
    return List.of(s.ranks(), s.gpusPerRank(), s.step(), s.checkpointEvery(), s.checkpointWrite());
  }

  /** The job does not match its Workload any more. */
  private void changed(String key) {
    WorkloadObject workload = workloads.find(key).orElse(null);
    JobObject job = world.jobs().find(key).orElse(null);
    if (workload == null || job == null || workload.finished()) {
      return;
    }
    if (workload.quotaReserved()) {
      world.emit(Kind.JOB, key, "Kueue creates its Workload again");
      workloads.remove(key, workload.meta().uid());
      workloads.create(WorkloadObject.draft(job));
      if (!job.suspend()) {
        world.jobs().patch(key, j -> stopped(j, ""));
      }
    } else {
      world.emit(Kind.JOB, key, "Kueue takes its Workload from it, and activates it");
      workloads.patch(key, w -> w.with(b -> b.pods(job.setup().ranks()).active(true)));
    }
    admit();
  }

  private void admit() {
    QueueObject queue = queues.get(QueueObject.NAME);
    if (queue.held() || world.now().isBefore(away)) {
      return;
    }
    int used = 0;
    List<WorkloadObject> waiting = new ArrayList<>();
    for (WorkloadObject workload : workloads.all()) {
      if (workload.quotaReserved()) {
        used += workload.pods();
      } else if (workload.active() && !workload.finished()) {
        waiting.add(workload);
      }
    }
    for (WorkloadObject workload : waiting) {
      if (used + workload.pods() <= queue.quota()) {
        used += workload.pods();
        world.emit(Kind.JOB, workload.job().toString(), "Kueue admits");
        workloads.patch(
            workload.meta().key(), w -> w.with(b -> b.quotaReserved(true).admitted(true)));
      }
    }
  }
}
