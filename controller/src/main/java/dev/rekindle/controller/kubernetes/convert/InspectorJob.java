package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Labels;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirementBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.NodeSelectorTermBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes the Job that looks at a training job's checkpoints: where the training job's pods may run,
 * as the user they run as, with their volume mounted read-only, or the Secret with the keys of
 * their object store, without an API token, once.
 *
 * @param image image of Rekindle
 * @param pullPolicy its pull policy
 */
public record InspectorJob(String image, String pullPolicy) {
  private static final int MAX_NAME = 63;
  private static final String SUFFIX = "-inspect";
  private static final String INTERVAL = "250ms";
  private static final int DEADLINE_SECONDS = 300;
  private static final int START_SECONDS = 60;
  private static final int KEEP_SECONDS = 300;

  /** A listing of a store takes longer than one of a directory, and is paid for. */
  private static final String INTERVAL_OF_STORE = "1s";

  private static final String KEYS = "store-keys";

  /** Where the chart's admission policy lets an inspector have a Secret, and nowhere else. */
  static final String KEYS_PATH = "/var/run/rekindle/store";

  /** Name of the inspector of a recovery: the same each time, and short enough for a label. */
  public static String name(String recovery) {
    int room = MAX_NAME - SUFFIX.length();
    if (recovery.length() <= room) {
      return recovery + SUFFIX;
    }
    String hash =
        UUID.nameUUIDFromBytes(recovery.getBytes(StandardCharsets.UTF_8))
            .toString()
            .substring(0, 8);
    String start = recovery.substring(0, room - hash.length() - 1).replaceAll("[-.]+$", "");
    return start + "-" + hash + SUFFIX;
  }

  /**
   * The Job.
   *
   * @param namespace namespace of the training job
   * @param recovery the recovery it works for
   * @param directory directory of the checkpoints
   * @param format name of their format, or {@code auto}
   * @param at where that directory lies
   * @param owner goes and the inspector goes with it
   * @param excludedHostnames values of {@code kubernetes.io/hostname} to keep off
   */
  public Job build(
      String namespace,
      String recovery,
      String directory,
      String format,
      CheckpointMount.Visible at,
      OwnerReference owner,
      List<String> excludedHostnames) {
    PodSpec theirs = at.template().getSpec();
    return new JobBuilder()
        .withNewMetadata()
        .withNamespace(namespace)
        .withName(name(recovery))
        .addToLabels("app.kubernetes.io/name", "rekindle")
        .addToLabels("app.kubernetes.io/component", "inspector")
        .withOwnerReferences(owner)
        .endMetadata()
        .withNewSpec()
        .withBackoffLimit(0)
        .withActiveDeadlineSeconds((long) DEADLINE_SECONDS + START_SECONDS)
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
        .withNodeAffinity(affinity(theirs, excludedHostnames))
        .endAffinity()
        .withTolerations(theirs.getTolerations())
        .withImagePullSecrets(theirs.getImagePullSecrets())
        .withSecurityContext(theirs.getSecurityContext())
        .withVolumes(volume(at))
        .withContainers(container(directory, format, at))
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
        new ArrayList<>(List.of("inspect", "--dir", literally(directory), "--format", format));
    if (at instanceof CheckpointMount.InStore store) {
      arguments.addAll(List.of("--region", store.region(), "--credentials", KEYS_PATH));
      if (!store.endpoint().isEmpty()) {
        arguments.addAll(List.of("--endpoint", literally(store.endpoint())));
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

  private Container container(String directory, String format, CheckpointMount.Visible at) {
    return new ContainerBuilder()
        .withName("inspect")
        .withImage(image)
        .withImagePullPolicy(pullPolicy)
        .withArgs(arguments(directory, format, at))
        .withVolumeMounts(mount(at))
        .withNewResources()
        .addToRequests(Map.of("cpu", new Quantity("100m"), "memory", new Quantity("64Mi")))
        .addToLimits("memory", new Quantity("256Mi"))
        .endResources()
        .withSecurityContext(
            securityContext(
                at.template().getSpec().getSecurityContext(), at.container().getSecurityContext()))
        .build();
  }

  /** The kubelet expands {@code $(NAME)} in arguments. */
  private static String literally(String argument) {
    return argument.replace("$(", "$$(");
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

  /**
   * Terms are alternatives, so the exclusion stands in each; one without conditions matches none.
   */
  private static @Nullable NodeAffinity affinity(PodSpec theirs, List<String> excludedHostnames) {
    NodeAffinity given =
        theirs.getAffinity() == null ? null : theirs.getAffinity().getNodeAffinity();
    if (excludedHostnames.isEmpty()) {
      return given;
    }
    NodeSelectorRequirement exclusion =
        new NodeSelectorRequirementBuilder()
            .withKey(Labels.HOSTNAME)
            .withOperator("NotIn")
            .withValues(excludedHostnames)
            .build();
    List<NodeSelectorTerm> terms = new ArrayList<>();
    var required = given == null ? null : given.getRequiredDuringSchedulingIgnoredDuringExecution();
    if (required == null || required.getNodeSelectorTerms().isEmpty()) {
      terms.add(new NodeSelectorTerm(List.of(exclusion), List.of()));
    } else {
      for (NodeSelectorTerm term : required.getNodeSelectorTerms()) {
        boolean empty = term.getMatchExpressions().isEmpty() && term.getMatchFields().isEmpty();
        terms.add(
            empty
                ? term
                : new NodeSelectorTermBuilder(term).addToMatchExpressions(exclusion).build());
      }
    }
    return Objects.requireNonNullElseGet(given, NodeAffinity::new).toBuilder()
        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
        .withNodeSelectorTerms(terms)
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .build();
  }
}
