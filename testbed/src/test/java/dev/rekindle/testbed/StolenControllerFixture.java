package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import java.util.function.Consumer;

/** Refusals, as an attacker with the controller's token gets them. */
abstract class StolenControllerFixture {
  static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  static void refused(String what, String why, Runnable call) {
    assertThatThrownBy(call::run)
        .as(what)
        .isInstanceOfSatisfying(
            KubernetesClientException.class,
            e -> assertThat(e.getCode()).as(what + ": " + e.getMessage()).isEqualTo(403))
        .hasMessageContaining(why);
  }

  static void start(KubernetesClient thief, String what, String why, Consumer<Job> change) {
    refused(what, why, () -> thief.resource(InspectorJobs.changed(change)).create());
  }

  static Map<String, ?> marks(String key, String value) {
    return Map.of("metadata", Map.of("annotations", Map.of(key, value)));
  }

  /** What the controller writes when it brings a job back. */
  static void resume(ObjectNode template) {
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

  static ObjectNode spec(ObjectNode template) {
    return (ObjectNode) template.get("spec");
  }

  static ObjectNode pytorch(ObjectNode template) {
    return (ObjectNode) template.at("/spec/containers/0");
  }

  static ArrayNode env(ObjectNode template) {
    return (ArrayNode) pytorch(template).get("env");
  }

  static void template(
      KubernetesClient thief, TrainingJob job, String what, Consumer<ObjectNode> change) {
    refused(what, "nothing of a pod template", () -> edit(thief, job, change));
  }

  static void container(
      KubernetesClient thief, TrainingJob job, String what, Consumer<ObjectNode> change) {
    refused(what, "nothing of a container", () -> edit(thief, job, change));
  }

  static Object edit(KubernetesClient thief, TrainingJob job, Consumer<ObjectNode> change) {
    JsonNode replicas =
        new KubernetesSerialization()
            .convertValue(job.object(), ObjectNode.class)
            .at("/spec/pytorchReplicaSpecs");
    replicas.forEach(replica -> change.accept((ObjectNode) replica.get("template")));
    return jobs(thief, job, Map.of("spec", Map.of("pytorchReplicaSpecs", replicas)));
  }

  static Object jobs(KubernetesClient thief, TrainingJob job, Map<String, ?> patch) {
    return thief
        .genericKubernetesResources(TrainingJob.API_VERSION, TrainingJob.KIND)
        .inNamespace(Testbed.NAMESPACE)
        .withName(job.name())
        .patch(MERGE, Serialization.asJson(patch));
  }
}
