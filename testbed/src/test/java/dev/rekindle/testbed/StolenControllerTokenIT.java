package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What can be done with the token of the leading controller, beyond what the controller does. */
@OnTestbed
class StolenControllerTokenIT {
  private static final String KEYS = "/var/run/rekindle/store";

  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private static void refused(String what, String why, Runnable call) {
    assertThatThrownBy(call::run)
        .as(what)
        .isInstanceOfSatisfying(
            KubernetesClientException.class,
            e -> assertThat(e.getCode()).as(what + ": " + e.getMessage()).isEqualTo(403))
        .hasMessageContaining(why);
  }

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

  private static void start(KubernetesClient thief, String what, String why, Consumer<Job> change) {
    refused(what, why, () -> thief.resource(InspectorJobs.changed(change)).create());
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

  private static Map<String, ?> marks(String key, String value) {
    return Map.of("metadata", Map.of("annotations", Map.of(key, value)));
  }

  @Test
  void shouldChangeNothingOfAJobButWhatARecoveryNeeds(Scene scene) {
    TrainingJob job = scene.job("template").light().start();
    try (KubernetesClient thief = StolenToken.ofController(scene)) {
      assertThat(jobs(thief, job, Map.of("spec", Map.of("runPolicy", Map.of("suspend", true)))))
          .isNotNull();
      assertThat(jobs(thief, job, marks("rekindle.dev/suspended-by", "any"))).isNotNull();
      assertThat(edit(thief, job, StolenControllerTokenIT::resume)).as("a resume").isNotNull();
      refused(
          "opt in", "its owner", () -> jobs(thief, job, marks("rekindle.dev/recover", "approve")));
      refused("annotate", "no annotations", () -> jobs(thief, job, marks("example.com/a", "b")));
      refused(
          "its limit",
          "run policy",
          () -> jobs(thief, job, Map.of("spec", Map.of("runPolicy", Map.of("backoffLimit", 99)))));
      refused(
          "its size",
          "nothing of a pod template",
          () ->
              jobs(
                  thief,
                  job,
                  Map.of(
                      "spec",
                      Map.of("pytorchReplicaSpecs", Map.of("Worker", Map.of("replicas", 9))))));
      template(thief, job, "the node", t -> spec(t).put("hostNetwork", true));
      template(thief, job, "an account", t -> spec(t).put("serviceAccountName", "admin"));
      template(thief, job, "volumes", t -> ((ArrayNode) spec(t).get("volumes")).removeAll());
      template(thief, job, "a label", t -> t.withObject("/metadata/labels").put("a", "b"));
      container(thief, job, "an image", t -> pytorch(t).put("image", "localhost/pause:1"));
      container(thief, job, "a command", t -> pytorch(t).putArray("command").add("sh"));
      container(
          thief,
          job,
          "a library",
          t -> env(t).addObject().put("name", "LD_PRELOAD").put("value", "/ckpt/x.so"));
      container(
          thief,
          job,
          "a variable of ours with a value",
          t -> env(t).addObject().put("name", "REKINDLE_RESUME_FROM").put("value", "/x"));
      container(
          thief,
          job,
          "a second container",
          t ->
              ((ArrayNode) spec(t).get("containers"))
                  .addObject()
                  .put("name", "more")
                  .put("image", "localhost/pause:1"));
    }
  }

  /** What the controller writes when it brings a job back. */
  private static void resume(ObjectNode template) {
    template.withObject("/metadata/annotations").put("rekindle.dev/attempt", "any-1");
    env(template)
        .addObject()
        .put("name", "REKINDLE_ATTEMPT")
        .putObject("valueFrom")
        .putObject("fieldRef")
        .put("fieldPath", "metadata.annotations['rekindle.dev/resume-attempt']");
    spec(template)
        .withObject("/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution")
        .putArray("nodeSelectorTerms")
        .addObject()
        .putArray("matchExpressions")
        .addObject()
        .put("key", "kubernetes.io/hostname")
        .put("operator", "NotIn")
        .putArray("values")
        .add("node-1");
  }

  private static ObjectNode spec(ObjectNode template) {
    return (ObjectNode) template.get("spec");
  }

  private static ObjectNode pytorch(ObjectNode template) {
    return (ObjectNode) template.at("/spec/containers/0");
  }

  private static ArrayNode env(ObjectNode template) {
    return (ArrayNode) pytorch(template).get("env");
  }

  private static void template(
      KubernetesClient thief, TrainingJob job, String what, Consumer<ObjectNode> change) {
    refused(what, "nothing of a pod template", () -> edit(thief, job, change));
  }

  private static void container(
      KubernetesClient thief, TrainingJob job, String what, Consumer<ObjectNode> change) {
    refused(what, "nothing of a container", () -> edit(thief, job, change));
  }

  private static Object edit(KubernetesClient thief, TrainingJob job, Consumer<ObjectNode> change) {
    JsonNode replicas =
        new KubernetesSerialization()
            .convertValue(job.object(), ObjectNode.class)
            .at("/spec/pytorchReplicaSpecs");
    replicas.forEach(replica -> change.accept((ObjectNode) replica.get("template")));
    return jobs(thief, job, Map.of("spec", Map.of("pytorchReplicaSpecs", replicas)));
  }

  private static Object jobs(KubernetesClient thief, TrainingJob job, Map<String, ?> patch) {
    return thief
        .genericKubernetesResources(TrainingJob.API_VERSION, TrainingJob.KIND)
        .inNamespace(Testbed.NAMESPACE)
        .withName(job.name())
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
