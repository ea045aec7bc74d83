package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.api.TrackerChange;
import dev.rekindle.controller.model.TrackerOrder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.List;
import java.util.Optional;

/**
 * Writes the Job that makes a tracker name the pinned checkpoint: like an inspector, but with the
 * volume mounted as the training job's own pods mount it, to be written.
 *
 * @param image image of Rekindle
 * @param pullPolicy its pull policy
 */
public record TrackerJob(String image, String pullPolicy) {
  private static final int DEADLINE_SECONDS = 60;

  /** Its name: another one for each attempt. */
  public static String name(TrackerOrder order) {
    return CheckpointPod.name(order.attempt(), "-tracker");
  }

  /** Why none can be written there, by what the job says of its volume; empty where it may be. */
  public static Optional<TrackerChange> refusal(CheckpointMount at, String directory) {
    return switch (at) {
      case CheckpointMount.Hidden(String reason) -> Optional.of(TrackerChange.refused(reason));
      case CheckpointMount.InStore _ ->
          Optional.of(TrackerChange.refused(directory + " is in an object store, and only read"));
      case CheckpointMount.Found found ->
          isReadOnly(found)
              ? Optional.of(
                  TrackerChange.refused("the job mounts the volume of " + directory + " read-only"))
              : Optional.empty();
    };
  }

  private static boolean isReadOnly(CheckpointMount.Found found) {
    var volume = found.volume();
    return Boolean.TRUE.equals(found.mount().getReadOnly())
        || (volume.getPersistentVolumeClaim() != null
            && Boolean.TRUE.equals(volume.getPersistentVolumeClaim().getReadOnly()))
        || (volume.getNfs() != null && Boolean.TRUE.equals(volume.getNfs().getReadOnly()));
  }

  /**
   * The Job.
   *
   * @param directory directory of the checkpoints
   * @param at where that directory is
   * @param owner goes and the Job goes with it
   * @param excludedHostnames values of {@code kubernetes.io/hostname} to avoid
   */
  public Job build(
      String namespace,
      TrackerOrder order,
      String directory,
      CheckpointMount.Found at,
      OwnerReference owner,
      List<String> excludedHostnames) {
    List<String> arguments =
        List.of(
            "tracker",
            "--dir",
            CheckpointPod.literally(directory),
            "--checkpoint",
            CheckpointPod.literally(order.path()),
            "--format",
            order.format(),
            "--attempt",
            order.attempt(),
            "--until",
            order.until().toString());
    // It writes: what has failed half-way is not begun again by Kubernetes.
    return new CheckpointPod(image, pullPolicy, "tracker", arguments, 0)
        .job(
            namespace,
            name(order),
            DEADLINE_SECONDS,
            at.volume(),
            at.mount(),
            at,
            owner,
            excludedHostnames);
  }
}
