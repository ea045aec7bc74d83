package dev.rekindle.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.cli.CommandTree;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodListBuilder;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.server.mock.OutputStreamMessage;
import io.fabric8.kubernetes.client.server.mock.StatusStreamMessage;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** notify-test, on an API server that runs nothing. */
@SuppressWarnings("NullAway.Init") // The extension sets the server.
@EnableKubernetesMockClient
@Timeout(60)
class NotifyTestCommandTest {
  private static final String PODS = "/api/v1/namespaces/rekindle-system/pods";

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
        .withName(name)
        .endMetadata()
        .withNewStatus()
        .addNewCondition()
        .withType("Ready")
        .withStatus(ready)
        .endCondition()
        .endStatus()
        .build();
  }

  private void pods(Pod... pods) {
    server
        .expect()
        .get()
        .withPath(
            PODS
                + "?labelSelector=app.kubernetes.io%2Fcomponent%3Dcontroller"
                + "%2Capp.kubernetes.io%2Fname%3Drekindle")
        .andReturn(200, new PodListBuilder().withItems(pods).build())
        .always();
  }

  @ParameterizedTest
  @CsvSource({"0, ok       ops: taken, 0", "1, FAILED   ops: denied, 1"})
  void shouldRunItInAPodThatIsReadyAndPassOnWhatItSays(int code, String line, int exit) {
    pods(pod("starting", "False"), pod("one", "True"));
    server
        .expect()
        .withPath(
            PODS
                + "/one/exec?command=%2Fopt%2Fjre%2Fbin%2Fjava&command=-Xmx24m"
                + "&command=%40%2Fapp%2Frun.args&command=notify-test&command=ops"
                + "&container=controller&stdout=true&stderr=true")
        .andUpgradeToWebSocket()
        .open(new OutputStreamMessage(line + "\u001b[31m\n"), new StatusStreamMessage(code))
        .done()
        .always();
    assertThat(run("notify-test", "ops")).as(err.toString(StandardCharsets.UTF_8)).isEqualTo(exit);
    assertThat(out.toString(StandardCharsets.UTF_8)).startsWith(line).doesNotContain("\u001b");
  }

  @Test
  void shouldSayThatNoControllerIsReady() {
    pods(pod("starting", "False"));
    assertThat(run("notify-test")).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("no pod of Rekindle's controller is Ready in namespace rekindle-system");
  }
}
