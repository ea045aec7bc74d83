package dev.rekindle.controller.app;

import dev.rekindle.cli.UsageException;
import io.fabric8.kubernetes.client.KubernetesClient;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code -n} or {@code -A}, for commands on one namespace or all. */
final class NamespacesOption {
  @Option(
      names = {"-A", "--all-namespaces"},
      description = "All namespaces.")
  private boolean all;

  @Mixin private final NamespaceOption namespace = new NamespaceOption();

  /** Refuses both at once. */
  void check() throws UsageException {
    if (all && namespace.given()) {
      throw new UsageException("--all-namespaces and --namespace exclude each other");
    }
  }

  /** Whether all are meant. */
  boolean all() {
    return all;
  }

  /** The one that is meant; empty for all. */
  String of(KubernetesClient client) {
    return all ? "" : namespace.of(client);
  }
}
