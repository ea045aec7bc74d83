package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What an attacker with the controller's token can write into a PyTorchJob. */
@OnTestbed
class StolenControllerJobsIT extends StolenControllerFixture {
  @Test
  void shouldChangeNothingOfAJobButWhatARecoveryNeeds(Scene scene) {
    TrainingJob job = scene.job("template").light().start();
    try (KubernetesClient thief = StolenToken.ofController(scene)) {
      assertThat(jobs(thief, job, Map.of("spec", Map.of("runPolicy", Map.of("suspend", true)))))
          .isNotNull();
      assertThat(jobs(thief, job, marks("rekindle.dev/suspended-by", "any"))).isNotNull();
      assertThat(edit(thief, job, StolenControllerFixture::resume)).as("a resume").isNotNull();
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
}
