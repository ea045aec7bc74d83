package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An API server that answers 500 to what is written in one namespace alone. */
@EnableKubernetesMockClient
class NamespaceCircuitsTest {
  private static final String TOO_LARGE = "etcdserver: request is too large";
  private static final JobKey LARGE = new JobKey("team-a", "large");
  private static final JobKey OTHER = new JobKey("team-b", "mnist");

  @SuppressWarnings("NullAway.Init") // set by the extension
  KubernetesClient client;

  @SuppressWarnings("NullAway.Init") // set by the extension
  KubernetesMockServer server;

  private final Circuits circuits = new Circuits(() -> 0, () -> false, _ -> 0L);

  @SuppressWarnings("NullAway.Init") // set before each test
  private KubernetesClient once;

  @BeforeEach
  void setUp() {
    once =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(client.getConfiguration())
                    .withRequestRetryBackoffLimit(0)
                    .build())
            .build();
    serve(LARGE);
    serve(OTHER);
  }

  @AfterEach
  void tearDown() {
    once.close();
  }

  private static String path(JobKey key) {
    return "/apis/kubeflow.org/v1/namespaces/%s/pytorchjobs/%s"
        .formatted(key.namespace(), key.name());
  }

  private static String object(JobKey key) {
    return """
    {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob",
     "metadata": {"namespace": "%s", "name": "%s", "uid": "%s", "resourceVersion": "1",
                  "annotations": {"rekindle.dev/recover": "true"}},
     "spec": {"pytorchReplicaSpecs": {}}}
    """
        .formatted(key.namespace(), key.name(), key.name());
  }

  private void serve(JobKey key) {
    server.expect().get().withPath(path(key)).andReturn(200, object(key)).always();
  }

  private void answer(JobKey key, String method, String path, int status) {
    Object body =
        status == 200
            ? object(key)
            : new StatusBuilder().withCode(status).withMessage(TOO_LARGE).build();
    var expected = server.expect();
    (method.equals("PATCH") ? expected.patch() : expected.delete())
        .withPath(path)
        .andReturn(status, body)
        .always();
  }

  @Test
  void shouldSuspendOtherJobsWhileOneOfAnotherNamespaceCannotBeStored() {
    answer(LARGE, "PATCH", path(LARGE), 500);
    answer(OTHER, "PATCH", path(OTHER), 200);
    JobCalls jobs =
        new JobCalls(
            once,
            circuits.of("pytorchjobs"),
            new KueueCalls(once, circuits, InstantSource.system()),
            _ -> false);
    for (int i = 0; i < 10; i++) {
      assertThatExceptionOfType(UnavailableException.class)
          .isThrownBy(() -> jobs.suspend(LARGE, LARGE.name(), "large-r1", "large-r1-1"));
    }

    assertThatCode(() -> jobs.suspend(OTHER, OTHER.name(), "mnist-r1", "mnist-r1-1"))
        .doesNotThrowAnyException();
  }

  @Test
  void shouldDeletePodsWhileThoseOfAnotherNamespaceCannotBeDeleted() {
    answer(LARGE, "DELETE", "/api/v1/namespaces/team-a/pods/p0", 500);
    answer(OTHER, "DELETE", "/api/v1/namespaces/team-b/pods/p0", 200);
    PodCalls pods = new PodCalls(once, circuits.of("pods"));
    for (int i = 0; i < 10; i++) {
      assertThatExceptionOfType(UnavailableException.class)
          .isThrownBy(() -> pods.delete("team-a", "p0", "u", Duration.ZERO));
    }

    assertThatCode(() -> pods.delete("team-b", "p0", "u", Duration.ZERO))
        .doesNotThrowAnyException();
  }
}
