package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.SimEvent.Kind;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The training operator, version 1, as it really behaves: it has no barrier. It re-creates each
 * replica as soon as that replica's pod is gone, deletes the pods of a suspended job, and those
 * beyond its replicas, with the grace period that they request, counts a running pod that is being
 * deleted as failed, and reconciles a finished job no more.
 */
final class Operator {
  private final World world;
  private final Set<JobKey> asked = new HashSet<>();

  Operator(World world) {
    this.world = world;
  }

  void changed(JobKey job) {
    if (asked.add(job)) {
      later(job);
    }
  }

  void changed(Change<PodObject> change) {
    changed(change.object().job());
  }

  private void later(JobKey job) {
    world
        .loop()
        .after(
            world.jitter(world.timing().operator()),
            () -> {
              if (world.controlPlane().operatorAway()) {
                world.loop().at(world.controlPlane().operatorBack(), () -> later(job));
                return;
              }
              asked.remove(job);
              world.jobs().find(job.toString()).ifPresent(this::reconcile);
            });
  }

  private void reconcile(JobObject job) {
    if (job.meta().terminating() || job.status().finish() != Finish.NOT_FINISHED) {
      return;
    }
    List<PodObject> pods = world.podsOf(job);
    if (job.suspend()) {
      world.podGroups().delete(job);
      for (PodObject pod : pods) {
        if (!pod.meta().terminating()) {
          world.pods().delete(pod.meta().key(), pod.meta().uid(), null);
        }
      }
      say(job, status -> status.suspended(true));
      return;
    }
    if (!finished(job, pods)) {
      replace(job, pods);
      say(job, status -> status.suspended(false));
    }
  }

  private boolean finished(JobObject job, List<PodObject> pods) {
    if (pastLimit(job, pods)) {
      finish(
          job,
          Finish.FAILED,
          "Job %s has failed because it has reached the specified backoff limit"
              .formatted(job.meta().name()));
      return true;
    }
    for (PodObject pod : pods) {
      Phase phase = pod.status().phase();
      if (pod.rank() == 0 && phase == Phase.SUCCEEDED) {
        finish(job, Finish.SUCCEEDED, "job completed");
        return true;
      }
      boolean failed =
          phase == Phase.FAILED || (phase == Phase.RUNNING && pod.meta().terminating());
      if (failed && (pod.restart() == RestartPolicy.NEVER || permanent(pod))) {
        finish(
            job,
            Finish.FAILED,
            "PyTorchJob %s is failed because 1 replica(s) failed.".formatted(job.meta().name()));
        return true;
      }
    }
    return false;
  }

  /** Restarts of containers, summed over the pods that run. */
  private static boolean pastLimit(JobObject job, List<PodObject> pods) {
    Integer limit = job.setup().backoffLimit();
    if (limit == null) {
      return false;
    }
    int restarts = 0;
    for (PodObject pod : pods) {
      boolean counts =
          pod.restart() == RestartPolicy.ALWAYS || pod.restart() == RestartPolicy.ON_FAILURE;
      restarts += counts && pod.status().phase() == Phase.RUNNING ? pod.status().restarts() : 0;
    }
    return restarts > 0 && restarts >= limit;
  }

  private static boolean permanent(PodObject pod) {
    return pod.restart() == RestartPolicy.EXIT_CODE
        && pod.status().phase() == Phase.FAILED
        && pod.status().failure() != null
        && pod.status().failure().kind().equals("ExitCode");
  }

  private void replace(JobObject job, List<PodObject> pods) {
    world.podGroups().create(job);
    Set<Integer> taken = new HashSet<>();
    for (PodObject pod : pods) {
      taken.add(pod.rank());
      boolean surplus = pod.rank() >= job.setup().ranks();
      if ((surplus || pod.status().phase() == Phase.FAILED) && !pod.meta().terminating()) {
        world.pods().delete(pod.meta().key(), pod.meta().uid(), null);
      }
    }
    for (int rank = 0; rank < job.setup().ranks(); rank++) {
      String name = PodObject.name(job.key(), rank);
      if (!taken.contains(rank)
          && world.pods().find(job.key().namespace() + "/" + name).isEmpty()) {
        world
            .pods()
            .create(
                new PodObject(
                    Meta.draft(job.key().namespace(), name, job.meta().uid()),
                    job.key(),
                    rank,
                    job.setup().restart(),
                    job.setup().gpusPerRank(),
                    job.setup().graceSeconds(),
                    job.template(),
                    "",
                    job.setup(),
                    PodObject.Status.PENDING,
                    /* markTaken= */ false,
                    HeldGpus.NONE));
      }
    }
  }

  private void finish(JobObject job, Finish how, String message) {
    say(job, status -> status.suspended(false).finished(how, world.now(), message));
    world.emit(
        Kind.JOB,
        job.key().toString(),
        how == Finish.FAILED ? "the operator says: Failed" : "Succeeded");
  }

  private void say(JobObject job, UnaryOperator<JobObject.Status> change) {
    world.jobs().patch(job.meta().key(), j -> j.with(change.apply(j.status())));
  }
}
