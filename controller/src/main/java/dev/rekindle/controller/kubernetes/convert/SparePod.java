package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Labels;
import dev.rekindle.controller.model.SpareOrder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Writes the pod of a warm spare. It requests what a worker requests, so that the scheduler keeps
 * the room, and has the worker's images pulled, and nothing of them runs: their containers are to
 * start {@code /dev/null}, which no runtime can, and are not started again. A container of the
 * Rekindle image waits beside them, without an API token and with nothing of the node.
 *
 * @param image image of Rekindle
 * @param pullPolicy its pull policy
 * @param priorityClass the class that lets a spare make way for everything else; empty where the
 *     chart allows no spares
 */
public record SparePod(String image, String pullPolicy, String priorityClass) {
  /** What containers of the worker's images are to start. A runtime makes this file by itself. */
  public static final String NOTHING = "/dev/null";

  private static final String SUFFIX = "-spare-";

  private static final long USER = 65_532;
  private static final Quantity ZERO = new Quantity("0");

  /** The name of a spare: that of its job, cut where it would be too long, and its number. */
  public static String name(JobKey job, int slot) {
    return CheckpointPod.name(job.name(), SUFFIX + slot);
  }

  /** The number in the name of a spare; -1 where there is none. */
  static int slot(String name) {
    int at = name.lastIndexOf(SUFFIX);
    String digits = at < 0 ? "" : name.substring(at + SUFFIX.length());
    return digits.length() == 1 && Character.isDigit(digits.charAt(0))
        ? Character.digit(digits.charAt(0), 10)
        : -1;
  }

  /**
   * The pod.
   *
   * @param job the job that it is for
   * @param owner goes and the spare goes with it
   * @param worker the template that it stands for, without a {@link SpareTemplate#problem}
   * @param shared claims that several nodes may mount at a time
   */
  public Pod build(
      JobKey job, SpareOrder order, OwnerReference owner, PodSpec worker, List<String> shared) {
    List<Volume> volumes = new ArrayList<>();
    List<VolumeMount> mounts = new ArrayList<>();
    for (int i = 0; i < shared.size(); i++) {
      String name = "claim-" + i;
      volumes.add(
          new VolumeBuilder()
              .withName(name)
              .withNewPersistentVolumeClaim(shared.get(i), true)
              .build());
      mounts.add(
          new VolumeMountBuilder()
              .withName(name)
              .withMountPath("/mnt/" + name)
              .withReadOnly(true)
              .build());
    }
    List<Container> containers = new ArrayList<>(List.of(waiting(mounts)));
    for (Container theirs : SpareTemplate.containers(worker)) {
      containers.add(holding(theirs, containers.size() - 1, worker));
    }
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(job.namespace())
        .withName(name(job, order.slot()))
        .addToLabels("app.kubernetes.io/name", "rekindle")
        .addToLabels(Labels.COMPONENT, Labels.SPARE)
        .addToAnnotations(Annotations.SPARE_TEMPLATE, order.template())
        .withOwnerReferences(owner)
        .endMetadata()
        .withNewSpec()
        .withRestartPolicy("Never")
        .withPriorityClassName(priorityClass)
        .withAutomountServiceAccountToken(false)
        .withEnableServiceLinks(false)
        // Not zero, for any deletion: see KubernetesGateway.SPARE_GRACE.
        .withTerminationGracePeriodSeconds(1L)
        .withSchedulerName(worker.getSchedulerName())
        .withRuntimeClassName(worker.getRuntimeClassName())
        .withNodeSelector(worker.getNodeSelector())
        .withTolerations(worker.getTolerations())
        .withImagePullSecrets(worker.getImagePullSecrets())
        .withNewAffinity()
        .withNewNodeAffinity()
        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
        .addNewNodeSelectorTerm()
        .addNewMatchExpression()
        .withKey(Labels.HOSTNAME)
        .withOperator("In")
        .withValues(order.hostnames())
        .endMatchExpression()
        .endNodeSelectorTerm()
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endNodeAffinity()
        .endAffinity()
        .withNewSecurityContext()
        .withRunAsNonRoot(true)
        .withRunAsUser(USER)
        .withNewSeccompProfile()
        .withType("RuntimeDefault")
        .endSeccompProfile()
        .endSecurityContext()
        .withVolumes(volumes)
        .withContainers(containers)
        .endSpec()
        .build();
  }

  private Container waiting(List<VolumeMount> mounts) {
    return new ContainerBuilder()
        .withName("wait")
        .withImage(image)
        .withImagePullPolicy(pullPolicy)
        .withArgs("wait")
        .withVolumeMounts(mounts)
        // Beside a worker that fills its node there is no room for more.
        .withNewResources()
        .addToRequests(Map.of("cpu", ZERO, "memory", ZERO))
        .addToLimits("memory", new Quantity("128Mi"))
        .endResources()
        .withSecurityContext(nothing())
        .build();
  }

  /** One that has an image pulled and holds what its container in the worker requests. */
  private static Container holding(Container theirs, int number, PodSpec worker) {
    boolean init =
        worker.getInitContainers() != null && worker.getInitContainers().contains(theirs);
    ResourceRequirements asked = init ? null : theirs.getResources();
    return new ContainerBuilder()
        .withName("image-" + number)
        .withImage(theirs.getImage())
        .withImagePullPolicy(theirs.getImagePullPolicy())
        .withCommand(NOTHING)
        .withResources(
            asked == null
                ? null
                : new ResourceRequirementsBuilder()
                    .withRequests(asked.getRequests())
                    .withLimits(asked.getLimits())
                    .build())
        .withSecurityContext(nothing())
        .build();
  }

  private static SecurityContext nothing() {
    return new SecurityContextBuilder()
        .withAllowPrivilegeEscalation(false)
        .withReadOnlyRootFilesystem(true)
        .withNewCapabilities()
        .addToDrop("ALL")
        .endCapabilities()
        .build();
  }
}
