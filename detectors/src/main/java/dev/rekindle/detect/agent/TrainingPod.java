package dev.rekindle.detect.agent;

import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A pod of a PyTorchJob on this node, as much of it as the agent needs.
 *
 * @param namespace its namespace
 * @param name its name
 * @param uid its UID
 * @param job name of its job
 * @param finished whether all its containers have ended for good
 */
record TrainingPod(String namespace, String name, String uid, String job, boolean finished) {
  static final String OPERATOR_LABEL = "training.kubeflow.org/operator-name";
  static final String OPERATOR = "pytorchjob-controller";
  static final String JOB_LABEL = "training.kubeflow.org/job-name";

  /** The training operator demands this name for the container that trains. */
  private static final String CONTAINER = "pytorch";

  /** The pod of an object; empty when it is no pod of a job. */
  static Optional<TrainingPod> of(Pod pod) {
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
            "Succeeded".equals(phase) || "Failed".equals(phase)));
  }

  /** The kubelet's log directory of the container that trains. */
  Path logs(Path podLogs) {
    return podLogs.resolve(namespace + "_" + name + "_" + uid).resolve(CONTAINER);
  }

  /** Name of its RankReport: pods of a job keep their names, so part of the UID is in it. */
  String reportName() {
    var prefix = uid.substring(0, Math.min(8, uid.length()));
    return name.substring(0, Math.min(name.length(), 253 - 9)) + "-" + prefix;
  }
}
