package dev.rekindle.testbed;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.LocalPortForward;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

/** Asks the console through a port forward, as people of several namespaces. */
final class ConsoleClient {
  private static final int PORT = 8080;
  private static final String VIEWER = "recovery-viewer";

  private final Scene scene;
  private final KubernetesClient client;

  ConsoleClient(Scene scene) {
    this.scene = scene;
    this.client = scene.client();
  }

  /** A token of a user who may list recoveries of that namespace and nothing else. */
  String viewerOf(String namespace) {
    var account =
        new ServiceAccountBuilder()
            .withNewMetadata()
            .withNamespace(namespace)
            .withName(VIEWER)
            .endMetadata()
            .build();
    var role =
        new RoleBuilder()
            .withNewMetadata()
            .withNamespace(namespace)
            .withName(VIEWER)
            .endMetadata()
            .addNewRule()
            .withApiGroups("rekindle.dev")
            .withResources("recoveries")
            .withVerbs("list")
            .endRule()
            .build();
    var binding =
        new RoleBindingBuilder()
            .withNewMetadata()
            .withNamespace(namespace)
            .withName(VIEWER)
            .endMetadata()
            .withNewRoleRef("rbac.authorization.k8s.io", "Role", VIEWER)
            .addNewSubject("", "ServiceAccount", VIEWER, namespace)
            .build();
    for (var object : List.of(account, role, binding)) {
      scene.onCleanUp(() -> client.resource(object).delete());
      client.resource(object).create();
    }
    return client
        .serviceAccounts()
        .inNamespace(namespace)
        .withName(VIEWER)
        .tokenRequest(
            new TokenRequestBuilder().withNewSpec().withExpirationSeconds(600L).endSpec().build())
        .getStatus()
        .getToken();
  }

  /** Pods of the console. */
  private static List<Pod> pods(Scene scene) {
    return scene
        .client()
        .pods()
        .inNamespace(ControllerProcess.NAMESPACE)
        .withLabel("app.kubernetes.io/component", "console")
        .list()
        .getItems();
  }

  /** A way to it as long as the test continues, as {@code kubectl port-forward} is one. */
  LocalPortForward forward() {
    // After an upgrade the one before it may still be ending.
    String pod =
        Await.value(
            "a Ready console",
            Duration.ofMinutes(2),
            () ->
                pods(scene).stream()
                    .filter(ControllerProcess::ready)
                    .map(ready -> ready.getMetadata().getName())
                    .findFirst());
    return client.pods().inNamespace(ControllerProcess.NAMESPACE).withName(pod).portForward(PORT);
  }

  /** What it answers to that person. */
  HttpResponse<String> get(String path, String token) {
    try (LocalPortForward forward = forward();
        HttpClient http = HttpClient.newHttpClient()) {
      URI uri = URI.create("http://localhost:" + forward.getLocalPort() + path);
      return http.send(
          HttpRequest.newBuilder(uri).header("Authorization", "Bearer " + token).build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
