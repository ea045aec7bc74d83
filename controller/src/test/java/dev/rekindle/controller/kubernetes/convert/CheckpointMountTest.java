package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CheckpointMountTest {
  private static CheckpointMount of(String directory, String mounts, String volumes) {
    return of("{}", directory, mounts, volumes);
  }

  private static CheckpointMount of(
      String annotations, String directory, String mounts, String volumes) {
    return CheckpointMount.of(
        Jobs.typed(
            """
            metadata: {name: j, annotations: %s}
            spec:
              pytorchReplicaSpecs:
                Worker: {template: {spec: {containers: [{name: pytorch}]}}}
                Master:
                  template:
                    spec:
                      containers:
                      - {name: side, volumeMounts: [{name: side, mountPath: /ckpt/run}]}
                      - {name: pytorch, volumeMounts: [%s]}
                      volumes: [%s]
            """
                .formatted(annotations, mounts, volumes)),
        directory);
  }

  @Test
  void shouldTakeTheDeepestMountThatCoversTheDirectory() {
    CheckpointMount mount =
        of(
            "/ckpt/run",
            "{name: a, mountPath: /}, {name: b, mountPath: /ckpt/}, {name: c, mountPath: /ckpt/ru}",
            "{name: a, hostPath: {path: /x}}, {name: b, persistentVolumeClaim: {claimName: p}},"
                + " {name: c}");
    assertThat(mount)
        .isInstanceOfSatisfying(
            CheckpointMount.Found.class,
            found -> {
              assertThat(found.mount().getMountPath()).isEqualTo("/ckpt/");
              assertThat(found.volume().getPersistentVolumeClaim().getClaimName()).isEqualTo("p");
              assertThat(found.container().getName()).isEqualTo("pytorch");
            });
  }

  static Stream<Arguments> hidden() {
    String mount = "{name: a, mountPath: /ckpt}";
    return Stream.of(
        argumentSet("not named", "", mount, "{name: a}", "does not say where"),
        argumentSet(
            "a place of the inspector's program",
            "/opt/run",
            "{name: a, mountPath: /opt/}",
            "{name: a, persistentVolumeClaim: {claimName: p}}",
            "cannot mount a volume at /opt/"),
        argumentSet(
            "such a place by an odd path",
            "/x/../app/run",
            "{name: a, mountPath: /x/../app}",
            "{name: a, persistentVolumeClaim: {claimName: p}}",
            "cannot mount a volume at /x/../app"),
        argumentSet("no mount", "/ckpt", "{name: a, mountPath: /ckp}", "{name: a}", "no volume"),
        argumentSet("emptyDir", "/ckpt", mount, "{name: a, emptyDir: {}}", "emptyDir"),
        argumentSet(
            "ephemeral",
            "/ckpt",
            mount,
            "{name: a, ephemeral: {volumeClaimTemplate: {}}}",
            "ephemeral"),
        argumentSet(
            "inline CSI",
            "/ckpt",
            mount,
            "{name: a, csi: {driver: d}}",
            "a volume made for one pod"),
        argumentSet("no such volume", "/ckpt", mount, "{name: b}", "not in the pod template"),
        argumentSet(
            "a directory per pod",
            "/ckpt",
            "{name: a, mountPath: /ckpt, subPathExpr: $(POD_NAME)}",
            "{name: a, hostPath: {path: /x}}",
            "subPathExpr"));
  }

  @ParameterizedTest
  @MethodSource("hidden")
  void shouldSayWhyNoOtherPodCanSeeTheCheckpoints(
      String directory, String mounts, String volumes, String reason) {
    assertThat(of(directory, mounts, volumes))
        .isInstanceOfSatisfying(
            CheckpointMount.Hidden.class,
            hidden -> assertThat(hidden.reason()).contains(reason).endsWith("."));
  }

  @ParameterizedTest
  @CsvSource({"true, true", "false, false", "yes, false"})
  void shouldKnowWhetherAllNodesShareAPathOfTheHost(String says, boolean shared) {
    var mount =
        of(
            "{rekindle.dev/checkpoint-shared: '%s'}".formatted(says),
            "/ckpt",
            "{name: a, mountPath: /ckpt}",
            "{name: a, hostPath: {path: /x}}");
    assertThat(mount)
        .isInstanceOfSatisfying(
            CheckpointMount.Found.class, found -> assertThat(found.perNode()).isEqualTo(!shared));
  }

  private static CheckpointMount inStore(String annotations, String env) {
    return CheckpointMount.of(
        Jobs.typed(
            """
            metadata: {name: j, annotations: {rekindle.dev/checkpoint: 's3://b-1/run/7/'%s}}
            spec:
              pytorchReplicaSpecs:
                Master: {template: {spec: {containers: [{name: pytorch, env: [%s]}]}}}
            """
                .formatted(annotations, env)),
        "s3://b-1/run/7");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "\"\" | \"\" | \"\" | us-east-1 | rekindle-checkpoints",
        ", rekindle.dev/checkpoint-endpoint: 'https://store', rekindle.dev/checkpoint-region: r1,"
            + " rekindle.dev/checkpoint-secret: rekindle-checkpoints-a"
            + " | {name: AWS_ENDPOINT_URL, value: 'https://other'}"
            + " | https://store | r1 | rekindle-checkpoints-a",
        "\"\" | {name: AWS_ENDPOINT_URL, value: 'https://e'}, {name: AWS_DEFAULT_REGION, value: r2}"
            + " | https://e | r2 | rekindle-checkpoints",
        "\"\" | {name: AWS_ENDPOINT_URL, value: $(OTHER)}, {name: AWS_REGION}"
            + " | \"\" | us-east-1 | rekindle-checkpoints",
      })
  void shouldSayWhichObjectStoreIsMeant(
      String annotations, String env, String endpoint, String region, String secret) {
    assertThat(inStore(annotations, env))
        .isInstanceOfSatisfying(
            CheckpointMount.InStore.class,
            store -> {
              assertThat(store.endpoint()).isEqualTo(endpoint);
              assertThat(store.region()).isEqualTo(region);
              assertThat(store.secret()).isEqualTo(secret);
            });
  }

  @ParameterizedTest
  @CsvSource({
    "AWS_ENDPOINT_URL, ftp://store, neither an https nor an http URL",
    "AWS_REGION, ../x, AWS_REGION is not the name of a region"
  })
  void shouldSayWhyAnObjectStoreIsNotAsked(String name, String value, String reason) {
    assertThat(inStore("", "{name: %s, value: '%s'}".formatted(name, value)))
        .isInstanceOfSatisfying(
            CheckpointMount.Hidden.class, hidden -> assertThat(hidden.reason()).contains(reason));
  }

  @Test
  void shouldSayWhenThereIsNoContainerThatTrains() {
    assertThat(CheckpointMount.of(Jobs.typed("metadata: {name: j}"), "/ckpt"))
        .isInstanceOf(CheckpointMount.Hidden.class);
  }
}
