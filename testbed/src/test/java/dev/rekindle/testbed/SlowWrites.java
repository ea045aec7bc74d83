package dev.rekindle.testbed;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;

/**
 * Every change of one kind of object takes some seconds longer: a webhook that is asked about it
 * takes the connection and never answers, and the API server continues without it after a time-out.
 */
final class SlowWrites implements AutoCloseable {
  private static final String NAME = "rekindle-test-slow";
  private static final int SECONDS = 4;

  private final KubernetesClient client;
  private final ServerSocket silent;

  private SlowWrites(KubernetesClient client, ServerSocket silent) {
    this.client = client;
    this.silent = silent;
  }

  /**
   * From now on, until it is closed.
   *
   * @param write a change of such an object; made again and again until it is slow
   */
  static SlowWrites of(Scene scene, String group, String resource, Runnable write) {
    try {
      ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      SlowWrites slow = new SlowWrites(scene.client(), silent);
      scene.onCleanUp(slow::close);
      scene.client().resource(webhook(group, resource, silent.getLocalPort())).create();
      Await.until("writes of " + resource + " are slow", Duration.ofMinutes(1), () -> slow(write));
      return slow;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean slow(Runnable write) {
    Instant began = Instant.now();
    write.run();
    return Duration.between(began, Instant.now()).toSeconds() >= SECONDS - 1;
  }

  private static ValidatingWebhookConfiguration webhook(String group, String resource, int port) {
    return new ValidatingWebhookConfigurationBuilder()
        .withNewMetadata()
        .withName(NAME)
        .endMetadata()
        .addNewWebhook()
        .withName("slow.rekindle.test")
        .withAdmissionReviewVersions("v1")
        .withSideEffects("None")
        .withFailurePolicy("Ignore")
        .withTimeoutSeconds(SECONDS)
        .withNewClientConfig()
        .withUrl("https://127.0.0.1:%d/".formatted(port))
        .endClientConfig()
        .addNewRule()
        .withApiGroups(group)
        .withApiVersions("v1")
        .withResources(resource)
        .withOperations("UPDATE")
        .endRule()
        .endWebhook()
        .build();
  }

  @Override
  public void close() {
    client.admissionRegistration().v1().validatingWebhookConfigurations().withName(NAME).delete();
    try {
      silent.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
