package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.checkpoint.CheckpointReach.Volume;
import dev.rekindle.controller.kubernetes.convert.CheckpointMount;
import dev.rekindle.controller.kubernetes.convert.VolumeReader;
import dev.rekindle.controller.model.BoundVolume;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Collection;
import java.util.Optional;

/** Finds out which nodes have the volumes of a job. */
final class VolumeLookup {
  private final KubernetesClient client;
  private final ApiCalls claims;
  private final ApiCalls volumes;

  VolumeLookup(KubernetesClient client, Circuits circuits) {
    this.client = client;
    this.claims = circuits.of("persistentvolumeclaims");
    this.volumes = circuits.of("persistentvolumes");
  }

  /** The volume; empty where no node is known to be nearer to it than others. */
  Optional<Volume> of(JobView job, CheckpointMount.Visible at) {
    if (!(at instanceof CheckpointMount.Found found)) {
      return Optional.empty();
    }
    if (found.perNode()) {
      return Optional.of(
          new Volume(
              "the path of the host at " + job.checkpointDir(), Volume.HOST_PATH, PodNeeds.NONE));
    }
    if (found.volume().getPersistentVolumeClaim() == null) {
      return Optional.empty();
    }
    try {
      return claimed(
          job.key().namespace(), found.volume().getPersistentVolumeClaim().getClaimName());
    } catch (RefusedException notAllowed) {
      // An older chart does not give the right to read volumes: the scheduler decides as before.
      return Optional.empty();
    }
  }

  /**
   * The volume that a claim is bound to.
   *
   * @return empty where there is no such claim, it is not bound, or all nodes reach its volume
   */
  Optional<BoundVolume> bound(String namespace, String claim) {
    return claimed(namespace, claim)
        .filter(volume -> !volume.needs().terms().isEmpty())
        .map(volume -> new BoundVolume(claim, volume.kind(), volume.needs().terms()));
  }

  private Optional<Volume> claimed(String namespace, String name) {
    Optional<PersistentVolumeClaim> claim =
        claims
            .in(namespace)
            .find(
                () -> client.persistentVolumeClaims().inNamespace(namespace).withName(name).get());
    String bound =
        claim
            .map(PersistentVolumeClaim::getSpec)
            .map(spec -> spec.getVolumeName())
            .filter(volume -> !volume.isEmpty())
            .orElse("");
    if (bound.isEmpty()) {
      return Optional.empty();
    }
    Optional<PersistentVolume> volume =
        volumes.find(() -> client.persistentVolumes().withName(bound).get());
    return volume.map(found -> VolumeReader.read(name, found));
  }

  /** The same, on the node of a job where the volume is a path of the host of that node. */
  static Volume ofJob(Volume volume, JobView job, CheckpointMount.Visible at) {
    boolean shared = at instanceof CheckpointMount.Found found && found.shared();
    return shared || volume.hasNodes() || job.replicas().isEmpty()
        ? volume
        : volume.withNeeds(job.replicas().getFirst().needs());
  }

  /**
   * Whether the pods of a job may run on several nodes, of which each has files of its own: then it
   * is not known which of them count. A PersistentVolume with a {@code hostPath} is such a volume
   * too, whatever its claim says: the path is that of the node where a pod is.
   */
  static boolean isAnywhere(
      JobView job,
      CheckpointMount.Visible at,
      Optional<Volume> volume,
      Collection<NodeView> nodes) {
    return at instanceof CheckpointMount.Found found
        && !found.shared()
        && volume.filter(Volume::isHostPath).isPresent()
        && nodes.stream()
                .filter(node -> volume.get().needs().selects(node))
                .filter(node -> job.replicas().stream().anyMatch(r -> r.needs().selects(node)))
                .count()
            > 1;
  }
}
