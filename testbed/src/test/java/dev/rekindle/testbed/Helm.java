package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Helm, on the release of the testbed. */
final class Helm {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final String CHECK = "rekindle-pre-delete";

  private final KubernetesClient client;

  Helm(Scene scene) {
    client = scene.client();
  }

  private static int call(StringBuilder said, String... words) {
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of(
            "bash",
            "-c",
            ". testbed/lib.sh; exec \"$BIN/helm\" --kubeconfig \"$ADMIN\" --namespace \"$0\""
                + " \"$@\"",
            ControllerProcess.NAMESPACE));
    command.addAll(List.of(words));
    return Command.run(LIMIT, command, said, line -> said.append(line).append('\n'));
  }

  /** Runs a command that must succeed; all that it printed. */
  String run(String... words) {
    StringBuilder said = new StringBuilder();
    assertThat(call(said, words)).as("%s: %s", String.join(" ", words), said).isZero();
    return said.toString();
  }

  /** Runs a command that must fail; all that it printed. */
  String fail(String... words) {
    StringBuilder said = new StringBuilder();
    assertThat(call(said, words)).as("%s: %s", String.join(" ", words), said).isEqualTo(1);
    return said.toString();
  }

  /** The newest one of the release. */
  String revision() {
    String status = run("status", "rekindle", "--output", "json");
    return Serialization.unmarshal(status, JsonNode.class).get("version").asText();
  }

  /** What the check before a removal has said. */
  String logOfTheCheck() {
    var pods =
        client
            .pods()
            .inNamespace(ControllerProcess.NAMESPACE)
            .withLabel("batch.kubernetes.io/job-name", CHECK);
    assertThat(pods.list().getItems()).hasSize(1);
    return pods.resources().findFirst().orElseThrow().getLog();
  }

  /** Takes away the pods of hooks: other tests count pods. */
  void forgetHooks() {
    client
        .batch()
        .v1()
        .jobs()
        .inNamespace(ControllerProcess.NAMESPACE)
        .withName(CHECK)
        .withPropagationPolicy(DeletionPropagation.FOREGROUND)
        .delete();
    client.pods().inNamespace(ControllerProcess.NAMESPACE).withName("rekindle-test").delete();
    Await.until(
        "no pod of a hook",
        Duration.ofMinutes(2),
        () ->
            client
                .pods()
                .inNamespace(ControllerProcess.NAMESPACE)
                .withLabel("app.kubernetes.io/component", "hooks")
                .list()
                .getItems()
                .isEmpty());
  }
}
