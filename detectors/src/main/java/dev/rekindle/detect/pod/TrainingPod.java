package dev.rekindle.detect.pod;

import dev.rekindle.detect.ApiTime;
import dev.rekindle.detect.node.PodDeviceReader;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A pod of a PyTorchJob on this node, as much of it as the agent needs.
 *
 * @param namespace its namespace
 * @param name its name
 * @param uid its UID
 * @param job name of its job
 * @param jobUid UID of the job that controls it; empty when none does
 * @param created when it was made, by the API server's clock, in whole seconds
 * @param deleting whether it is being deleted
 * @param finished whether all its containers have ended for good
 * @param container the container that trains
 * @param devices ids of the devices that it holds, as far as the pod says
 */
public record TrainingPod(
    String namespace,
    String name,
    String uid,
    String job,
    String jobUid,
    Instant created,
    boolean deleting,
    boolean finished,
    TrainingContainer container,
    Set<String> devices) {
  /** Label of every pod that the training operator makes. */
  public static final String OPERATOR_LABEL = "training.kubeflow.org/operator-name";

  /** Its value on pods of PyTorchJobs. */
  public static final String OPERATOR = "pytorchjob-controller";

  /** Label that names the job. */
  public static final String JOB_LABEL = "training.kubeflow.org/job-name";

  /** The pod of an object; empty when it is no pod of a job. */
  public static Optional<TrainingPod> of(Pod pod) {
    var metadata = pod.getMetadata();
    var labels = metadata == null ? null : metadata.getLabels();
    var job = labels == null ? null : labels.get(JOB_LABEL);
    if (job == null
        || metadata.getNamespace() == null
        || metadata.getName() == null
        || metadata.getUid() == null) {
      return Optional.empty();
    }
    var phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
    return Optional.of(
        new TrainingPod(
            metadata.getNamespace(),
            metadata.getName(),
            metadata.getUid(),
            job,
            controller(metadata),
            time(metadata.getCreationTimestamp()),
            metadata.getDeletionTimestamp() != null,
            "Succeeded".equals(phase) || "Failed".equals(phase),
            TrainingContainer.of(pod),
            PodDeviceReader.read(pod).held()));
  }

  private static String controller(ObjectMeta metadata) {
    if (metadata.getOwnerReferences() == null) {
      return "";
    }
    return metadata.getOwnerReferences().stream()
        .filter(owner -> Boolean.TRUE.equals(owner.getController()))
        .filter(owner -> "PyTorchJob".equals(owner.getKind()))
        .map(owner -> Objects.requireNonNullElse(owner.getUid(), ""))
        .findFirst()
        .orElse("");
  }

  /** A time as the API server writes it; the beginning of time where there is none. */
  public static Instant time(@Nullable String stamp) {
    return Objects.requireNonNullElse(ApiTime.parse(stamp), Instant.EPOCH);
  }

  /** The kubelet's log directory of the container that trains. */
  public Path logs(Path podLogs) {
    return podLogs.resolve(namespace + "_" + name + "_" + uid).resolve(TrainingContainer.NAME);
  }
}
