package dev.rekindle.controller.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.cli.CommandTree;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** notify-test, on an API server that runs nothing. */
@SuppressWarnings("NullAway.Init") // The extension sets client and server.
@EnableKubernetesMockClient(crud = true)
@Timeout(60)
class NotifyTestCommandTest {
  private KubernetesClient client;
  private KubernetesMockServer server;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... args) {
    return CommandTree.of(
            List.of(new NotifyTestCommand(stream(out), new ClusterAccess(server::createClient))))
        .run(List.of(args), stream(out), stream(err));
  }

  private static PrintStream stream(ByteArrayOutputStream to) {
    return new PrintStream(to, true, StandardCharsets.UTF_8);
  }

  private static Pod pod(String name, String ready) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("rekindle-system")
        .withName(name)
        .addToLabels("app.kubernetes.io/name", "rekindle")
        .addToLabels("app.kubernetes.io/component", "controller")
        .endMetadata()
        .withNewStatus()
        .addNewCondition()
        .withType("Ready")
        .withStatus(ready)
        .endCondition()
        .endStatus()
        .build();
  }

  @Test
  void shouldSayThatNoControllerIsReady() {
    client.resource(pod("a-starting-one", "False")).create();
    assertThat(run("notify-test")).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("no pod of Rekindle's controller is Ready in namespace rekindle-system");
  }

  /** A JVM may warn beside it; one of an earlier version prints sentences alone. */
  @Test
  void shouldReadTheResultsAmongOtherLines() throws Exception {
    var taken = new NotifyTestResult("ops", true, "taken");
    assertThat(NotifyTestCommand.results("p-0", List.of("warning: x", taken.json(), "{", "{}")))
        .isEqualTo(Map.of("webhooks", List.of(taken)));
    assertThatThrownBy(() -> NotifyTestCommand.results("p-0", List.of("ok       ops: taken")))
        .hasMessage("pod p-0 printed no result as JSON");
  }
}
