package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Annotations;
import dev.rekindle.detect.checkpoint.Formats;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.kubeflow.v1.PyTorchJob;

/**
 * Writes the Job that inspects a training job's checkpoints: where the training job's pods may run,
 * as the user they run as, with their volume mounted read-only, or the Secret with the keys of
 * their object store, without an API token.
 *
 * @param image image of Rekindle
 * @param pullPolicy its pull policy
 */
public record InspectorJob(String image, String pullPolicy) {
  /** The label that Kubernetes gives the pods of a Job. */
  public static final String JOB_LABEL = "batch.kubernetes.io/job-name";

  private static final String INTERVAL = "250ms";
  private static final int DEADLINE_SECONDS = 300;
  private static final int START_SECONDS = 60;

  /**
   * What ends a pod is seldom its program: it was evicted, preempted or ended by its node. Another
   * one is made after 10 s, within the time of the inspector's default; a third would be too late.
   */
  private static final int RETRIES = 1;

  /** A listing of a store takes longer than one of a directory, and is paid for. */
  private static final String INTERVAL_OF_STORE = "1s";

  private static final String KEYS = "store-keys";

  /** Where the chart's admission policy lets an inspector have a Secret, and nowhere else. */
  static final String KEYS_PATH = "/var/run/rekindle/store";

  /** Name of the inspector of a recovery: the same each time, and short enough for a label. */
  public static String name(String recovery) {
    return CheckpointPod.name(recovery, "-inspect");
  }

  /**
   * The Job.
   *
   * @param namespace namespace of the training job
   * @param recovery the recovery it works for
   * @param directory directory of the checkpoints
   * @param format name of their format, or {@code auto}
   * @param at where that directory is
   * @param owner goes and the inspector goes with it
   * @param excludedHostnames values of {@code kubernetes.io/hostname} to avoid
   */
  public Job build(
      String namespace,
      String recovery,
      String directory,
      String format,
      CheckpointMount.Visible at,
      OwnerReference owner,
      List<String> excludedHostnames) {
    return new CheckpointPod(
            image, pullPolicy, "inspect", arguments(directory, format, at), RETRIES)
        .job(
            namespace,
            name(recovery),
            DEADLINE_SECONDS + START_SECONDS,
            volume(at),
            mount(at),
            at,
            owner,
            excludedHostnames);
  }

  /**
   * The same with a pod on each of these nodes, where each has files of its own.
   *
   * @param job the Job with one pod
   * @param nodes which nodes, and which are left out
   */
  public static Job onEach(Job job, InspectedNodes nodes) {
    String name = job.getMetadata().getName();
    return new JobBuilder(job)
        .editMetadata()
        .addToAnnotations(nodes.annotations())
        .endMetadata()
        .editSpec()
        .withParallelism(nodes.hostnames().size())
        .withCompletions(nodes.hostnames().size())
        .withBackoffLimit(RETRIES * nodes.hostnames().size())
        .editTemplate()
        .editSpec()
        // Those of one template need not hold for pods of the other: the gang was on these nodes.
        .withNodeSelector(Map.of())
        .withAffinity(InheritedAffinity.oneOnEach(nodes.hostnames(), name))
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  private static Volume volume(CheckpointMount.Visible at) {
    return switch (at) {
      case CheckpointMount.Found found -> found.volume();
      case CheckpointMount.InStore store ->
          new VolumeBuilder()
              .withName(KEYS)
              .withNewSecret()
              .withSecretName(store.secret())
              // One that is not there is said by the inspector; a pod that cannot start says
              // nothing.
              .withOptional(true)
              .endSecret()
              .build();
    };
  }

  private static VolumeMount mount(CheckpointMount.Visible at) {
    return switch (at) {
      case CheckpointMount.Found found -> found.mount().toBuilder().withReadOnly(true).build();
      case CheckpointMount.InStore _ ->
          new VolumeMountBuilder()
              .withName(KEYS)
              .withMountPath(KEYS_PATH)
              .withReadOnly(true)
              .build();
    };
  }

  private static List<String> arguments(
      String directory, String format, CheckpointMount.Visible at) {
    List<String> arguments =
        new ArrayList<>(
            List.of("inspect", "--dir", CheckpointPod.literally(directory), "--format", format));
    if (at instanceof CheckpointMount.InStore store) {
      arguments.addAll(List.of("--region", store.region(), "--credentials", KEYS_PATH));
      if (!store.endpoint().isEmpty()) {
        arguments.addAll(List.of("--endpoint", CheckpointPod.literally(store.endpoint())));
      }
    }
    arguments.addAll(
        List.of(
            "--interval",
            at instanceof CheckpointMount.InStore ? INTERVAL_OF_STORE : INTERVAL,
            "--deadline",
            DEADLINE_SECONDS + "s"));
    return arguments;
  }

  /** As the owner names it; all are tried where that makes no sense. */
  public static String format(PyTorchJob job) {
    Map<String, String> annotations = job.getMetadata().getAnnotations();
    String named = annotations == null ? null : annotations.get(Annotations.CHECKPOINT_FORMAT);
    return named != null && Formats.isKnown(named) ? named : Formats.AUTO;
  }
}
