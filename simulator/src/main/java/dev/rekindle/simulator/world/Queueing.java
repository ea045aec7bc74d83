package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.simulator.api.Collection;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.SimEvent.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Kueue with one queue, as it was measured: it admits by quota, oldest first; suspends and
 * un-suspends jobs and takes back what others write there; gives the quota of an inactive Workload
 * away before its pods are gone; and puts the annotations of the templates back whenever it stops a
 * job. Nothing moves, and no chance is drawn, where it is not installed.
 */
public final class Queueing {
  private static final Duration REACTS = Duration.ofMillis(50);

  private final World world;
  private final Collection<WorkloadObject> workloads;
  private final Collection<QueueObject> queues;
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
    world.jobs().watch(change -> later(change.key()));
    workloads.watch(change -> later(change.object().job().toString()));
    queues.watch(_ -> world.loop().after(REACTS, this::admit));
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
    world.jobs().patch(job.meta().key(), j -> j.with(b -> b.queue("q").suspend(true)));
    workloads.create(WorkloadObject.draft(job));
    admit();
  }

  private void later(String job) {
    world.loop().after(REACTS, () -> look(job));
  }

  private void look(String key) {
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
      admit();
    } else if (workload.admitted() == job.suspend()) {
      boolean suspend = !workload.admitted();
      world.emit(Kind.JOB, key, suspend ? "Kueue suspends" : "Kueue un-suspends");
      world.jobs().patch(key, j -> j.withSuspend(suspend, ""));
    }
  }

  private void stop(JobObject job, WorkloadObject workload) {
    String key = job.key().toString();
    if (!job.suspend()) {
      world.emit(Kind.JOB, key, "Kueue suspends, as its Workload is not active");
      world
          .jobs()
          .patch(
              key,
              j ->
                  j.withSuspend(true, workload.stoppedBy())
                      .with(j.template().withOwnAnnotations()));
    } else if (workload.quotaReserved()) {
      workloads.patch(key, w -> w.with(b -> b.quotaReserved(false).admitted(false)));
      admit();
    }
  }

  private void admit() {
    QueueObject queue = queues.get(QueueObject.NAME);
    if (queue.held()) {
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
