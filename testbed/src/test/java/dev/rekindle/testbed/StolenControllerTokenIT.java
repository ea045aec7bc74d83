package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoverySpec;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What can be done with the token of the leading controller, beyond what the controller does. */
@OnTestbed
class StolenControllerTokenIT extends StolenControllerFixture {
  private static final String KEYS = "/var/run/rekindle/store";

  @Test
  void shouldStartNoProgramButTheInspector(Scene scene) {
    try (KubernetesClient thief = StolenToken.ofController(scene)) {
      Job legal = thief.resource(InspectorJobs.changed(j -> {})).create();
      // No owner has that UID, so it may be collected already.
      assertThat(legal.getMetadata().getUid()).as("an inspector").isNotEmpty();
      scene.client().resource(legal).delete();
      start(
          thief, "a shell", "own image", j -> InspectorJobs.container(j).setCommand(List.of("sh")));
      start(
          thief,
          "an image",
          "own image",
          j -> InspectorJobs.container(j).setImage("localhost/trainer:1"));
      start(
          thief,
          "a library",
          "no environment",
          j ->
              InspectorJobs.container(j)
                  .setEnv(List.of(new EnvVar("JAVA_TOOL_OPTIONS", "-javaagent:/c/x.jar", null))));
      start(
          thief,
          "privileges",
          "no privileges",
          j -> {
            InspectorJobs.container(j).getSecurityContext().setPrivileged(true);
            InspectorJobs.container(j).getSecurityContext().setAllowPrivilegeEscalation(true);
          });
      start(
          thief,
          "a second container",
          "own image",
          j ->
              InspectorJobs.pod(j)
                  .getContainers()
                  .add(new ContainerBuilder(InspectorJobs.container(j)).withName("b").build()));
      start(
          thief,
          "the node's processes",
          "nothing of the node",
          j -> InspectorJobs.pod(j).setHostPID(true));
      start(
          thief,
          "an API token",
          "no API token",
          j -> InspectorJobs.pod(j).setAutomountServiceAccountToken(true));
      start(thief, "a secret", "no Secret but", j -> secret(j, "any", KEYS, "s3://b/x"));
      start(
          thief,
          "keys of another program",
          "no Secret but",
          j -> secret(j, "x-rekindle-checkpoints", KEYS, "s3://b/x"));
      start(
          thief,
          "keys as checkpoints",
          "no Secret but",
          j -> secret(j, "rekindle-checkpoints", "/ckpt", "s3://b/x"));
      start(
          thief,
          "keys without a store",
          "no Secret but",
          j -> secret(j, "rekindle-checkpoints", KEYS, KEYS));
      for (String name : List.of("rekindle-checkpoints", "rekindle-checkpoints-a.b")) {
        assertThat(
                thief
                    .resource(InspectorJobs.changed(j -> secret(j, name, KEYS, "s3://b/x")))
                    .dryRun()
                    .create())
            .isNotNull();
      }
      start(
          thief,
          "an inspector that writes",
          "read-only",
          j -> InspectorJobs.container(j).getVolumeMounts().getFirst().setReadOnly(false));
      // The runtime takes all of them for a place of the program, or of what Java and the C library
      // read.
      for (String place :
          List.of(
              "/app", "//app", "/x/../app", "app", "/opt/", "/etc/", "/etc/ld.so.preload", "/.")) {
        start(
            thief,
            "a program at " + place,
            "hides none of its program",
            j -> InspectorJobs.container(j).getVolumeMounts().getFirst().setMountPath(place));
      }
      start(
          thief,
          "a tracker in a Secret",
          "no Secret but",
          j -> {
            secret(j, "rekindle-checkpoints", KEYS, "s3://b/x");
            InspectorJobs.container(j).setArgs(List.of("tracker", "--dir", "s3://b/x"));
          });
      assertThat(
              thief
                  .resource(InspectorJobs.changed(StolenControllerTokenIT::writes))
                  .dryRun()
                  .create())
          .isNotNull();
      start(
          thief,
          "a Job without owner",
          "belongs to",
          j -> j.getMetadata().setOwnerReferences(List.of()));
    }
  }

  private static void secret(Job job, String name, String path, String directory) {
    InspectorJobs.pod(job)
        .setVolumes(
            List.of(
                new VolumeBuilder()
                    .withName("c")
                    .withNewSecret()
                    .withSecretName(name)
                    .endSecret()
                    .build()));
    InspectorJobs.container(job).getVolumeMounts().getFirst().setMountPath(path);
    InspectorJobs.container(job).setArgs(List.of("inspect", "--dir", directory));
  }

  private static void writes(Job job) {
    InspectorJobs.container(job).setArgs(List.of("tracker", "--dir", "/ckpt"));
    InspectorJobs.container(job).getVolumeMounts().getFirst().setReadOnly(false);
  }

  @Test
  void shouldTouchNoPodsButThoseOfTrainingJobs(Scene scene) {
    TrainingJob job = scene.job("stolen").light().start();
    job.awaitStep(3);
    Pod training = job.pod("worker-0");
    Pod other = scene.controller().leader();
    try (KubernetesClient thief = StolenToken.ofController(scene)) {
      assertThat(pods(thief, training, marks("rekindle.dev/resume-from", "/ckpt"))).isNotNull();
      refused(
          "mark",
          "only pods of PyTorchJobs",
          () -> pods(thief, other, marks("rekindle.dev/a", "b")));
      refused("delete", "only pods of PyTorchJobs", () -> thief.resource(other).delete());
      String nothing = "changes nothing of a pod";
      refused("annotate", nothing, () -> pods(thief, training, marks("example.com/a", "b")));
      refused(
          "label",
          nothing,
          () -> pods(thief, training, Map.of("metadata", Map.of("labels", Map.of("a", "b")))));
      refused(
          "image",
          nothing,
          () -> {
            Pod changed = Serialization.clone(training);
            changed.getSpec().getContainers().getFirst().setImage("localhost/pause:1");
            pods(thief, training, Map.of("spec", changed.getSpec()));
          });
    }
  }

  private static Object pods(KubernetesClient thief, Pod pod, Map<String, ?> patch) {
    return thief
        .pods()
        .inNamespace(pod.getMetadata().getNamespace())
        .withName(pod.getMetadata().getName())
        .patch(MERGE, Serialization.asJson(patch));
  }

  @Test
  void shouldCordonAndMarkNodesAndNoMore(Scene scene) {
    scene.onCleanUp(
        () ->
            scene
                .client()
                .nodes()
                .withName("node-1")
                .patch(
                    MERGE,
                    """
                    {"metadata": {"annotations": {"rekindle.dev/fenced-by": null}},
                     "spec": {"unschedulable": null}}
                    """));
    try (KubernetesClient thief = StolenToken.ofController(scene)) {
      assertThat(
              nodes(
                  thief,
                  Map.of(
                      "metadata",
                      Map.of("annotations", Map.of("rekindle.dev/fenced-by", "any")),
                      "spec",
                      Map.of("unschedulable", true))))
          .isNotNull();
      refused(
          "taint",
          "nothing else in their spec",
          () ->
              nodes(
                  thief,
                  Map.of(
                      "spec",
                      Map.of("taints", List.of(Map.of("key", "k", "effect", "NoExecute"))))));
      String own = "but its own rekindle.dev/*";
      refused("annotate", own, () -> nodes(thief, marks("example.com/a", "b")));
      refused(
          "label",
          own,
          () -> nodes(thief, Map.of("metadata", Map.of("labels", Map.of("pool", "other")))));
      refused("its owner's", own, () -> nodes(thief, marks("rekindle.dev/maintenance", "true")));
    }
  }

  private static Object nodes(KubernetesClient thief, Map<String, ?> patch) {
    return thief.nodes().withName("node-1").patch(MERGE, Serialization.asJson(patch));
  }

  /** Recoveries blame nodes: no other may write their status, whatever else he may do. */
  @Test
  void shouldBeNeededToWriteRecoveries(Scene scene) {
    Recovery recovery = new Recovery();
    recovery.setMetadata(
        new ObjectMetaBuilder().withNamespace(Testbed.NAMESPACE).withName("forged-r1").build());
    recovery.setSpec(new RecoverySpec(JobRef.pyTorchJob("forged", "uid"), Instant.now(), null));
    refused(
        "open it as administrator",
        "only Rekindle's controller may open a Recovery",
        () -> scene.client().resource(recovery).create());
    try (KubernetesClient thief = StolenToken.ofController(scene)) {
      Recovery stored = thief.resource(recovery).create();
      scene.onCleanUp(() -> scene.client().resource(stored).delete());
      Object phase = Map.of("status", Map.of("phase", "Recovered"));
      refused(
          "write its status as administrator",
          "may write the status of a Recovery",
          () ->
              scene
                  .client()
                  .resource(stored)
                  .subresource("status")
                  .patch(MERGE, Serialization.asJson(phase)));
      assertThat(
              scene
                  .client()
                  .resource(stored)
                  .dryRun()
                  .patch(MERGE, "{\"spec\": {\"approved\": true}}")
                  .getSpec()
                  .approved())
          .as("people approve")
          .isTrue();
    }
  }
}
