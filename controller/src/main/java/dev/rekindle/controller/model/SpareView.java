package dev.rekindle.controller.model;

import dev.rekindle.controller.model.PodView.Phase;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/**
 * A warm spare: a Rekindle pod that reserves the room of a worker and runs nothing of its image.
 *
 * @param job the job that it was made for
 * @param name name of the pod
 * @param slot its number among the spares of the job, by its name; -1 where that says none
 * @param uid UID of the pod
 * @param jobUid UID of the job
 * @param template of which template it was made
 * @param node where it is bound, empty before
 * @param phase pod phase; a spare is warm once it runs, as its images are there then
 * @param terminating whether a deletion is under way
 * @param gpus GPUs that it holds
 * @param requests all that it holds
 * @param created when it was made
 */
@RecordBuilder
public record SpareView(
    JobKey job,
    String name,
    int slot,
    String uid,
    String jobUid,
    String template,
    String node,
    Phase phase,
    boolean terminating,
    long gpus,
    Amounts requests,
    Instant created)
    implements SpareViewBuilder.With {
  /** Whether it holds room on its node. */
  public boolean holdsRoom() {
    return !node.isEmpty() && phase != Phase.SUCCEEDED && phase != Phase.FAILED;
  }

  /** Whether a pod that takes its place finds the image there. */
  public boolean warm() {
    return holdsRoom() && phase == Phase.RUNNING && !terminating;
  }
}
