package dev.rekindle.testbed;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Clients with tokens of running pods, taken from where an attacker in a pod finds them. */
final class StolenToken {
  private static final String TOKEN = "var/run/secrets/kubernetes.io/serviceaccount/token";

  private StolenToken() {}

  /** That of the agent on a node; of any node where that is empty. */
  static KubernetesClient ofAgent(Scene scene, String node) {
    return as(scene.controller().agent(node), "agent");
  }

  /** That of the leading controller. */
  static KubernetesClient ofController(Scene scene) {
    return as(scene.controller().leader(), "controller");
  }

  private static KubernetesClient as(Pod pod, String container) {
    long process = Host.processes(pod, container).getFirst();
    Config config =
        new ConfigBuilder(Testbed.administrator())
            .withOauthToken(read(Path.of("/proc", Long.toString(process), "root").resolve(TOKEN)))
            .withAutoOAuthToken(null)
            .build();
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
