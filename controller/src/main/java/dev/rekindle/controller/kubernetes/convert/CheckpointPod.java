package dev.rekindle.controller.kubernetes.convert;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes the Job of a Rekindle pod that mounts the checkpoints of a training job: where the
 * training job's pods may run, as the user they run as, without an API token.
 *
 * @param image image of Rekindle
 * @param pullPolicy its pull policy
 * @param program name of its container
 * @param arguments the program and its arguments
 * @param retries how many pods more there may be where one fails
 */
record CheckpointPod(
    String image, String pullPolicy, String program, List<String> arguments, int retries) {
  private static final int MAX_NAME = 63;
  private static final int KEEP_SECONDS = 300;

  CheckpointPod {
    arguments = List.copyOf(arguments);
  }

  /** A name from another: the same each time, and short enough for a label. */
  static String name(String of, String suffix) {
    int room = MAX_NAME - suffix.length();
    if (of.length() <= room) {
      return of + suffix;
    }
    String hash =
        UUID.nameUUIDFromBytes(of.getBytes(StandardCharsets.UTF_8)).toString().substring(0, 8);
    String start = of.substring(0, room - hash.length() - 1).replaceAll("[-.]+$", "");
    return start + "-" + hash + suffix;
  }

  /** The kubelet expands {@code $(NAME)} in arguments. */
  static String literally(String argument) {
    return argument.replace("$(", "$$(");
  }

  /**
   * The Job.
   *
   * @param at where the checkpoints are
   * @param owner goes and the Job goes with it
   * @param excludedHostnames values of {@code kubernetes.io/hostname} to avoid
   */
  Job job(
      String namespace,
      String name,
      int deadlineSeconds,
      Volume volume,
      VolumeMount mount,
      CheckpointMount.Visible at,
      OwnerReference owner,
      List<String> excludedHostnames) {
    PodSpec theirs = at.template().getSpec();
    return new JobBuilder()
        .withNewMetadata()
        .withNamespace(namespace)
        .withName(name)
        .addToLabels("app.kubernetes.io/name", "rekindle")
        .addToLabels("app.kubernetes.io/component", "inspector")
        .withOwnerReferences(owner)
        .endMetadata()
        .withNewSpec()
        .withBackoffLimit(retries)
        .withActiveDeadlineSeconds((long) deadlineSeconds)
        .withTtlSecondsAfterFinished(KEEP_SECONDS)
        .withNewTemplate()
        .withNewMetadata()
        .addToLabels("app.kubernetes.io/name", "rekindle")
        .addToLabels("app.kubernetes.io/component", "inspector")
        .endMetadata()
        .withNewSpec()
        .withRestartPolicy("Never")
        .withAutomountServiceAccountToken(false)
        .withEnableServiceLinks(false)
        .withTerminationGracePeriodSeconds(1L)
        .withNodeSelector(theirs.getNodeSelector())
        .withNewAffinity()
        .withNodeAffinity(InheritedAffinity.of(theirs, excludedHostnames))
        .endAffinity()
        .withTolerations(theirs.getTolerations())
        .withImagePullSecrets(theirs.getImagePullSecrets())
        .withSecurityContext(theirs.getSecurityContext())
        .withVolumes(volume)
        .withContainers(container(mount, at))
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  private Container container(VolumeMount mount, CheckpointMount.Visible at) {
    return new ContainerBuilder()
        .withName(program)
        .withImage(image)
        .withImagePullPolicy(pullPolicy)
        .withArgs(arguments)
        .withVolumeMounts(mount)
        .withNewResources()
        .addToRequests(Map.of("cpu", new Quantity("100m"), "memory", new Quantity("64Mi")))
        .addToLimits("memory", new Quantity("256Mi"))
        .endResources()
        .withSecurityContext(
            securityContext(
                at.template().getSpec().getSecurityContext(), at.container().getSecurityContext()))
        .build();
  }

  private static SecurityContext securityContext(
      @Nullable PodSecurityContext pod, @Nullable SecurityContext container) {
    Long own = container == null ? null : container.getRunAsUser();
    Long user = own == null && pod != null ? pod.getRunAsUser() : own;
    boolean nonRoot =
        Boolean.TRUE.equals(container == null ? null : container.getRunAsNonRoot())
            || Boolean.TRUE.equals(pod == null ? null : pod.getRunAsNonRoot());
    if (user == null && !nonRoot) {
      // Where a job names no user its image does, and training images run as root almost always:
      // their checkpoints may be
      // readable by root alone. Without capabilities root reads its own files and no more.
      user = 0L;
    }
    return new SecurityContextBuilder()
        .withRunAsUser(user)
        .withRunAsGroup(container == null ? null : container.getRunAsGroup())
        .withRunAsNonRoot(!Objects.equals(user, 0L))
        .withAllowPrivilegeEscalation(false)
        .withReadOnlyRootFilesystem(true)
        .withNewCapabilities()
        .addToDrop("ALL")
        .endCapabilities()
        .withNewSeccompProfile()
        .withType("RuntimeDefault")
        .endSeccompProfile()
        .build();
  }
}
