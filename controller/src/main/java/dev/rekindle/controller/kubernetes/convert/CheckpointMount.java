package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.TrainingContainer;
import dev.rekindle.detect.checkpoint.s3.S3Url;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.kubeflow.v1.PyTorchJob;
import org.kubeflow.v1.pytorchjobspec.PytorchReplicaSpecs;

/** Where the checkpoints of a job are, as another pod could mount them. */
public sealed interface CheckpointMount {
  /**
   * They are on a volume.
   *
   * @param template pod template of the replica type that writes them
   * @param container its container {@code pytorch}
   * @param mount the mount that covers the directory
   * @param volume its volume
   * @param shared whether the owner says that a path of the host is the same on all nodes
   */
  record Found(
      PodTemplateSpec template,
      Container container,
      VolumeMount mount,
      Volume volume,
      boolean shared)
      implements Visible {
    /** Whether the template itself says that each node has files of its own there. */
    public boolean perNode() {
      return volume.getHostPath() != null && !shared;
    }
  }

  /**
   * They are in an object store.
   *
   * @param template pod template of the replica type that writes them
   * @param container its container {@code pytorch}
   * @param endpoint URL of the store; empty for AWS itself
   * @param region region of the bucket
   * @param secret name of the Secret with the access keys
   */
  record InStore(
      PodTemplateSpec template, Container container, String endpoint, String region, String secret)
      implements Visible {}

  /** Another pod can see them. */
  sealed interface Visible extends CheckpointMount permits Found, InStore {
    /** Pod template of the replica type that writes them. */
    PodTemplateSpec template();

    /** Its container {@code pytorch}. */
    Container container();
  }

  /** No other pod can see them; the reason is one sentence. */
  record Hidden(String reason) implements CheckpointMount {}

  /** Finds the directory in the Master's template, in the Worker's where there is no Master. */
  static CheckpointMount of(PyTorchJob job, String directory) {
    if (directory.isEmpty()) {
      return new Hidden(
          "The job does not say where its checkpoints are (" + Annotations.CHECKPOINT + ").");
    }
    return in(job, template(job), directory);
  }

  /** The same in the template of one replica type. */
  static CheckpointMount ofType(PyTorchJob job, String type, String directory) {
    PytorchReplicaSpecs spec = job.getSpec().getPytorchReplicaSpecs().get(type);
    PodTemplateSpec template = spec == null ? null : spec.getTemplate();
    return in(job, template == null || template.getSpec() == null ? null : template, directory);
  }

  private static CheckpointMount in(
      PyTorchJob job, @Nullable PodTemplateSpec template, String directory) {
    Container container = template == null ? null : container(template);
    if (template == null || container == null) {
      return new Hidden("The job has no container " + TrainingContainer.NAME + ".");
    }
    if (S3Url.isOne(directory)) {
      return StoreReader.read(job, template, container);
    }
    Optional<VolumeMount> mount =
        Objects.requireNonNullElse(container.getVolumeMounts(), List.<VolumeMount>of()).stream()
            .filter(m -> covers(m, directory))
            .max(Comparator.comparingInt(m -> m.getMountPath().length()));
    if (mount.isEmpty()) {
      return new Hidden(directory + " is on no volume: it is lost with the container.");
    }
    if (!InspectorPlaces.areBeside(mount.get().getMountPath())) {
      return new Hidden(
          "The inspector cannot mount a volume at %s: its own program is there, or the path is odd."
              .formatted(Texts.cut(mount.get().getMountPath())));
    }
    String expression = mount.get().getSubPathExpr();
    if (expression != null && expression.contains("$(")) {
      return new Hidden(
          "The mount of " + directory + " has a subPathExpr that differs from pod to pod.");
    }
    return Objects.requireNonNullElse(template.getSpec().getVolumes(), List.<Volume>of()).stream()
        .filter(v -> mount.get().getName().equals(v.getName()))
        .findFirst()
        .map(volume -> shared(job, volume, directory, template, container, mount.get()))
        .orElseGet(() -> new Hidden("The volume of " + directory + " is not in the pod template."));
  }

  private static CheckpointMount shared(
      PyTorchJob job,
      Volume volume,
      String directory,
      PodTemplateSpec template,
      Container container,
      VolumeMount mount) {
    if (volume.getEmptyDir() != null) {
      return new Hidden(directory + " is on an emptyDir: it is lost with the pod.");
    }
    if (volume.getEphemeral() != null) {
      return new Hidden(directory + " is on an ephemeral volume: it is lost with the pod.");
    }
    if (volume.getCsi() != null) {
      return new Hidden(directory + " is on a volume made for one pod: it is lost with the pod.");
    }
    return new Found(template, container, mount, volume, isSharedByHosts(job));
  }

  private static boolean isSharedByHosts(PyTorchJob job) {
    return job.getMetadata().getAnnotations() != null
        && "true".equals(job.getMetadata().getAnnotations().get(Annotations.CHECKPOINT_SHARED));
  }

  private static boolean covers(VolumeMount mount, String directory) {
    String path = mount.getMountPath();
    if (path == null || path.isEmpty()) {
      return false;
    }
    String prefix = path.endsWith("/") ? path : path + "/";
    return (directory + "/").startsWith(prefix);
  }

  private static @Nullable PodTemplateSpec template(PyTorchJob job) {
    if (job.getSpec() == null) {
      return null;
    }
    Map<String, PytorchReplicaSpecs> specs =
        Objects.requireNonNullElse(job.getSpec().getPytorchReplicaSpecs(), Map.of());
    for (String type : List.of("Master", "Worker")) {
      for (var entry : specs.entrySet()) {
        if (entry.getKey().equalsIgnoreCase(type)
            && entry.getValue() != null
            && entry.getValue().getTemplate() != null
            && entry.getValue().getTemplate().getSpec() != null) {
          return entry.getValue().getTemplate();
        }
      }
    }
    return null;
  }

  private static @Nullable Container container(PodTemplateSpec template) {
    return Objects.requireNonNullElse(template.getSpec().getContainers(), List.<Container>of())
        .stream()
        .filter(c -> TrainingContainer.NAME.equals(c.getName()))
        .findFirst()
        .orElse(null);
  }
}
