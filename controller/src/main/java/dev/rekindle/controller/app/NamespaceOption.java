package dev.rekindle.controller.app;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Objects;
import picocli.CommandLine.Option;

/** {@code -n}, for commands on one namespace. */
final class NamespaceOption {
  @Option(
      names = {"-n", "--namespace"},
      defaultValue = "",
      description = "The namespace; without it, that of the kubeconfig.")
  private String namespace = "";

  /** Whether it was given. */
  boolean given() {
    return !namespace.isEmpty();
  }

  /** The one that is meant. */
  String of(KubernetesClient client) {
    return given() ? namespace : Objects.requireNonNullElse(client.getNamespace(), "default");
  }
}
