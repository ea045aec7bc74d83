package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.checkpoint.CheckpointReach;
import dev.rekindle.controller.model.PodNeeds;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;

/** Reads which nodes have a persistent volume. */
public final class VolumeReader {
  private VolumeReader() {}

  /**
   * The volume of a claim, by the affinity that its driver gave it: of a local volume, or one of
   * HwameiStor, the nodes with a replica; of a disk of a cloud its zone; of a network file system
   * none, and often of a {@code hostPath} too, which is a path of each node all the same. An
   * affinity that is longer than any that is meant says nothing.
   */
  public static CheckpointReach.Volume read(String claim, PersistentVolume volume) {
    PersistentVolumeSpec spec = volume.getSpec();
    PodNeeds needs = PodNeeds.NONE;
    if (spec != null
        && spec.getNodeAffinity() != null
        && spec.getNodeAffinity().getRequired() != null
        && NeedsReader.isReadWhole(spec.getNodeAffinity().getRequired())) {
      needs =
          NeedsReader.of(
              new PodTemplateSpecBuilder()
                  .withNewSpec()
                  .withAffinity(
                      new AffinityBuilder()
                          .withNewNodeAffinity()
                          .withRequiredDuringSchedulingIgnoredDuringExecution(
                              spec.getNodeAffinity().getRequired())
                          .endNodeAffinity()
                          .build())
                  .endSpec()
                  .build(),
              AffinityPatch.NOTHING);
    }
    return new CheckpointReach.Volume("claim " + claim, spec == null ? "" : kind(spec), needs);
  }

  private static String kind(PersistentVolumeSpec spec) {
    if (spec.getCsi() != null && spec.getCsi().getDriver() != null) {
      return spec.getCsi().getDriver();
    }
    return spec.getLocal() != null
        ? "local"
        : spec.getHostPath() != null ? CheckpointReach.Volume.HOST_PATH : "";
  }
}
