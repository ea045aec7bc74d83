package dev.rekindle.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A disk of one node, as a claim on a PersistentVolume of kind {@code local}. */
final class LocalVolume {
  private static final Map<String, Quantity> SIZE = Map.of("storage", new Quantity("1Gi"));

  private LocalVolume() {}

  /** Creates both under one name until the scene is over; pods that have it run on that node. */
  static void create(Scene scene, String name, Path directory, String node) {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    PersistentVolume volume =
        new PersistentVolumeBuilder()
            .withNewMetadata()
            .withName(name)
            .endMetadata()
            .withNewSpec()
            .withCapacity(SIZE)
            .withAccessModes("ReadWriteOnce")
            .withPersistentVolumeReclaimPolicy("Retain")
            .withStorageClassName("")
            .withNewLocal()
            .withPath(directory.toString())
            .endLocal()
            .withNewNodeAffinity()
            .withNewRequired()
            .addNewNodeSelectorTerm()
            .addNewMatchExpression()
            .withKey("kubernetes.io/hostname")
            .withOperator("In")
            .withValues(node)
            .endMatchExpression()
            .endNodeSelectorTerm()
            .endRequired()
            .endNodeAffinity()
            .endSpec()
            .build();
    PersistentVolumeClaim claim =
        new PersistentVolumeClaimBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(Testbed.NAMESPACE)
            .endMetadata()
            .withNewSpec()
            .withAccessModes("ReadWriteOnce")
            .withStorageClassName("")
            .withVolumeName(name)
            .withNewResources()
            .withRequests(SIZE)
            .endResources()
            .endSpec()
            .build();
    scene.client().resource(volume).create();
    scene.onCleanUp(() -> scene.client().resource(volume).delete());
    scene.client().resource(claim).create();
    scene.onCleanUp(() -> scene.client().resource(claim).delete());
  }

  /** The volume of the checkpoints in a pod template becomes that claim. */
  static void claim(ObjectNode template, String name) {
    for (JsonNode volume : template.at("/spec/volumes")) {
      if (volume.path("name").asText().equals("checkpoints")) {
        ObjectNode checkpoints = (ObjectNode) volume;
        checkpoints.remove("hostPath");
        checkpoints.putObject("persistentVolumeClaim").put("claimName", name);
      }
    }
  }
}
