package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Kind;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.setup.JobSetup;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pod of a training job.
 *
 * @param meta metadata; owned by its job
 * @param job its job
 * @param rank rank of its process; the master is 0
 * @param restart restart policy of its replica
 * @param gpus GPUs that it requests
 * @param graceSeconds grace period that it requests
 * @param template what it was made from
 * @param node where it is bound, empty before
 * @param setup what its job trained when the pod was made
 * @param status what the kubelet says
 * @param markTaken whether our annotation was removed from it
 * @param held the GPUs of its node that it holds
 */
@RecordBuilder
public record PodObject(
    Meta meta,
    JobKey job,
    int rank,
    RestartPolicy restart,
    int gpus,
    int graceSeconds,
    JobObject.Template template,
    String node,
    JobSetup setup,
    Status status,
    boolean markTaken,
    HeldGpus held)
    implements ApiObject<PodObject>, PodObjectBuilder.With {
  /** Pods, with the fields by which they are selected. */
  static final Kind<PodObject> KIND =
      new Kind<>(
          "pods",
          Map.of("spec.nodeName", PodObject::node, "status.phase", PodObject::phaseName),
          PodObject::defaultGrace);

  /**
   * What the kubelet says.
   *
   * @param phase pod phase
   * @param ready condition Ready
   * @param running whether its container runs
   * @param restarts restart count of its container
   * @param lastExit when the container last ended, in whole seconds
   * @param failure what failed, absent when nothing did
   */
  public record Status(
      Phase phase,
      boolean ready,
      boolean running,
      int restarts,
      @Nullable Instant lastExit,
      PodView.@Nullable Failure failure) {
    static final Status PENDING = new Status(Phase.PENDING, false, false, 0, null, null);

    /** The same, ready or not. */
    Status withReady(boolean other) {
      return new Status(phase, other, running, restarts, lastExit, failure);
    }

    /** The same, with what failed. */
    Status withFailure(PodView.Failure other) {
      return new Status(phase, ready, running, restarts, lastExit, other);
    }
  }

  /** Name as the operator makes it. */
  static String name(JobKey job, int rank) {
    return rank == 0 ? job.name() + "-master-0" : job.name() + "-worker-" + (rank - 1);
  }

  @Override
  public PodObject with(Meta newMeta) {
    return withMeta(newMeta);
  }

  PodObject boundTo(String newNode, HeldGpus newHeld) {
    return with(b -> b.node(newNode).held(newHeld).status(Status.PENDING));
  }

  PodObject with(Status newStatus) {
    return withStatus(newStatus);
  }

  /** The same whose next container is given another checkpoint. */
  public PodObject resumingFrom(String path, long step) {
    return withTemplate(template.resumingFrom(path, step));
  }

  /** The same without our annotation; its processes have read theirs before. */
  public PodObject withoutMark() {
    return withMarkTaken(true);
  }

  /** Whether its containers have not come to their end for good. */
  public boolean live() {
    return status.phase() != Phase.SUCCEEDED && status.phase() != Phase.FAILED;
  }

  private String phaseName() {
    String name = status.phase().name();
    return name.charAt(0) + name.substring(1).toLowerCase(Locale.ROOT);
  }

  /** In seconds; for a pod without a node, or one that has ended, there is nothing to wait for. */
  private Long defaultGrace() {
    return node.isEmpty() || !live() ? 0L : (long) graceSeconds;
  }

  /** What the controller keeps of it. */
  public PodView view() {
    return new PodView(
        job,
        meta.name(),
        meta.uid(),
        meta.owner(),
        rank == 0 ? "master" : "worker",
        Math.max(0, rank - 1),
        node,
        status.phase(),
        status.ready(),
        graceSeconds,
        meta.deletionGrace(),
        meta.deletionDeadline(),
        markTaken ? "" : template.attemptOf(meta.owner()),
        status.restarts(),
        status.lastExit(),
        status.failure(),
        meta.created().truncatedTo(ChronoUnit.SECONDS),
        gpus,
        held.view(),
        template.resumeFrom(),
        Amounts.NONE,
        setup.podGroup()
            ? new GangScheduling.Group(GangScheduling.Scheduler.COSCHEDULING, job.name())
            : GangScheduling.Group.NONE,
        List.of());
  }
}
