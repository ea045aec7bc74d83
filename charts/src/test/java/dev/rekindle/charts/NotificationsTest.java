package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the chart makes of webhooks. */
class NotificationsTest extends WorkloadsFixture {
  static final String VALUES =
      """
      notifications:
        cluster: west
        webhooks:
          - {name: ops, url: "https://ops.example/in", secretName: keys, format: cloudevents, events: [held]}
          - {name: chat, secretName: chat-url, format: slack}
      """;

  @Test
  void shouldHandWebhooksToTheController() {
    Container container = controller(VALUES).getContainers().getFirst();

    assertThat(container.getEnv())
        .filteredOn(e -> e.getName().equals("REKINDLE_NOTIFICATIONS"))
        .extracting(EnvVar::getValue)
        .containsExactly(
            """
            {"cluster":"west","maxAge":"6h","webhooks":[\
            {"events":["held"],"format":"cloudevents","name":"ops","url":"https://ops.example/in"},\
            {"events":[],"format":"slack","name":"chat","url":""}]}\
            """);
    assertThat(container.getVolumeMounts())
        .filteredOn(VolumeMount::getReadOnly, true)
        .extracting(VolumeMount::getMountPath)
        .containsExactly("/etc/rekindle/webhooks/ops", "/etc/rekindle/webhooks/chat");
  }

  /** A Secret that is not there must not keep the controller from starting. */
  @Test
  void shouldStartTheControllerWithoutTheSecrets() {
    assertThat(controller(VALUES).getVolumes())
        .filteredOn(v -> v.getSecret() != null)
        .hasSize(2)
        .allMatch(v -> v.getSecret().getOptional());
  }

  @Test
  void shouldAddNothingWithoutAWebhook() {
    PodSpec pod = controller("");

    assertThat(pod.getVolumes()).hasSize(1);
    assertThat(pod.getContainers().getFirst().getEnv())
        .noneMatch(e -> e.getName().equals("REKINDLE_NOTIFICATIONS"));
  }

  /** Agents are on every node, and have no business with receivers. */
  @Test
  void shouldKeepWebhooksFromAgents() {
    Chart chart = Chart.render(VALUES);
    PodSpec agent = chart.one(DaemonSet.class, "-agent").getSpec().getTemplate().getSpec();

    assertThat(agent.toString()).doesNotContain("ops.example", "chat-url");
  }

  @Test
  void shouldLetTheControllerAloneReachTheReceivers() {
    Chart chart =
        Chart.render(
            VALUES
                + "  egress: [{ports: [{port: 4443}]}]\n"
                + "networkPolicy: {egress: [{ports: [{port: 6443}]}]}\n");

    assertThat(chart.one(NetworkPolicy.class, "-controller").getSpec().getEgress()).hasSize(2);
    assertThat(chart.one(NetworkPolicy.class, "-agent").getSpec().getEgress()).hasSize(1);
    assertThat(
            Chart.render(VALUES + "  egress: [{ports: [{port: 4443}]}]\n")
                .one(NetworkPolicy.class, "-controller")
                .getSpec()
                .getPolicyTypes())
        .as("where nothing else is limited, the way to a webhook is open as well")
        .containsExactly("Ingress");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{name: A, secretName: s, format: slack}",
        "{name: a, format: slack}",
        "{name: a, secretName: s, format: teams}",
        "{name: a, secretName: s, format: slack, url: 'file:///etc/passwd'}",
        "{name: a, secretName: s, format: slack, url: 'https://user:secret@x'}",
        "{name: a, secretName: s, format: slack, events: [anything]}"
      })
  void shouldRefuseWhatMakesNoSense(String webhook) {
    assertThatThrownBy(() -> Chart.render("notifications: {webhooks: [" + webhook + "]}"))
        .hasMessageContaining("notifications");
  }
}
