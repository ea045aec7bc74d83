package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VolumeReaderTest {
  /**
   * As the drivers write them: rancher's local-path, HwameiStor with two replicas, a cloud, NFS.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "local: {path: /mnt} | kubernetes.io/hostname | [a] | local | a",
        "hostPath: {path: /mnt} | kubernetes.io/hostname | [b] | hostPath | b",
        "hostPath: {path: /mnt} | | | hostPath | abc",
        "csi: {driver: lvm.hwameistor.io, volumeHandle: pvc-1} | topology.lvm.hwameistor.io/node"
            + " | [a; b] | lvm.hwameistor.io | ab",
        "csi: {driver: disk.csi.azure.com, volumeHandle: x} | topology.kubernetes.io/zone | [z2]"
            + " | disk.csi.azure.com | bc",
        "csi: {driver: nfs.csi.k8s.io, volumeHandle: x} | | | nfs.csi.k8s.io | abc",
        "nfs: {server: s, path: /x} | | | '' | abc",
      })
  void shouldSayWhichNodesHaveAVolume(
      String source, String key, String values, String kind, String nodes) {
    String affinity =
        key == null
            ? ""
            : ("nodeAffinity: {required: {nodeSelectorTerms:"
                    + " [{matchExpressions: [{key: %s, operator: In, values: %s}]}]}}")
                .formatted(key, values.replace(';', ','));
    var volume =
        VolumeReader.read(
            "data",
            new KubernetesSerialization()
                .unmarshal("spec:\n  " + source + "\n  " + affinity, PersistentVolume.class));

    assertThat(volume.name()).isEqualTo("claim data");
    assertThat(volume.kind()).isEqualTo(kind == null ? "" : kind.replace("'", ""));
    StringBuilder having = new StringBuilder();
    for (String name : List.of("a", "b", "c")) {
      var node =
          Given.node("node-1")
              .withName(name)
              .withLabels(
                  Map.of(
                      "kubernetes.io/hostname",
                      name,
                      "topology.lvm.hwameistor.io/node",
                      name,
                      "topology.kubernetes.io/zone",
                      name.equals("a") ? "z1" : "z2"));
      if (volume.needs().selects(node)) {
        having.append(name);
      }
    }
    assertThat(having).hasToString(nodes);
  }

  private static boolean reaches(String terms) {
    return VolumeReader.read(
            "data",
            new KubernetesSerialization()
                .unmarshal(
                    "spec: {nodeAffinity: {required: {nodeSelectorTerms: [%s]}}}".formatted(terms),
                    PersistentVolume.class))
        .needs()
        .selects(Given.node("node-1").withLabels(Map.of("zone", "z1", "disks", "4", "odd", "x")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "matchExpressions: [{key: zone, operator: In, values: [z1, z2]}] | true",
        "matchExpressions: [{key: zone, operator: In, values: [z2]}] | false",
        "matchExpressions: [{key: zone, operator: NotIn, values: [z2]}] | true",
        "matchExpressions: [{key: zone, operator: NotIn, values: [z1]}] | false",
        "matchExpressions: [{key: zone, operator: Exists}] | true",
        "matchExpressions: [{key: none, operator: Exists}] | false",
        "matchExpressions: [{key: none, operator: DoesNotExist}] | true",
        "matchExpressions: [{key: zone, operator: DoesNotExist}] | false",
        "matchExpressions: [{key: disks, operator: Gt, values: ['3']}] | true",
        "matchExpressions: [{key: disks, operator: Gt, values: ['4']}] | false",
        "matchExpressions: [{key: disks, operator: Lt, values: ['5']}] | true",
        "matchExpressions: [{key: odd, operator: Lt, values: ['5']}] | false",
        "matchFields: [{key: metadata.name, operator: In, values: [node-1]}] | true",
        "matchFields: [{key: metadata.name, operator: In, values: [node-2]}] | false",
        "matchFields: [{key: metadata.name, operator: NotIn, values: [node-2]}] | true",
        // All of a term; one of several terms.
        "matchExpressions: [{key: zone, operator: Exists}, {key: none, operator: Exists}] | false",
        "matchExpressions: [{key: none, operator: Exists}]}, {matchExpressions: [{key: zone,"
            + " operator: Exists}] | true",
        "matchExpressions: [] | false",
      })
  void shouldReadAnAffinityAsTheSchedulerDoes(String term, boolean reached) {
    assertThat(reaches("{" + term + "}")).isEqualTo(reached);
  }

  /** What is cut off could be the node that has it. */
  @Test
  void shouldTakeAnAffinityThatIsTooLongForNone() {
    String other = "{matchExpressions: [{key: zone, operator: In, values: [z2]}]}";
    assertThat(reaches(String.join(",", Collections.nCopies(64, other)))).isFalse();
    assertThat(reaches(String.join(",", Collections.nCopies(65, other)))).isTrue();
    assertThat(
            reaches(
                "{matchExpressions: [{key: zone, operator: In, values: [%s]}]}"
                    .formatted(String.join(",", Collections.nCopies(1_025, "z2")))))
        .isTrue();
  }
}
