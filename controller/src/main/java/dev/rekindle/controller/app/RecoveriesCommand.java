package dev.rekindle.controller.app;

import dev.rekindle.api.Recovery;
import dev.rekindle.cli.UsageException;
import dev.rekindle.controller.kubernetes.OperatorCalls;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintStream;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import picocli.CommandLine.Mixin;

/** A command that reads the recoveries of one namespace, or of all, and changes nothing. */
abstract class RecoveriesCommand extends ClusterCommand {
  @Mixin private final NamespacesOption namespaces = new NamespacesOption();

  private final InstantSource clock;

  RecoveriesCommand(PrintStream out, ClusterAccess cluster, InstantSource clock) {
    super(out, cluster);
    this.clock = clock;
  }

  @Override
  final String needs() {
    return "list recoveries.rekindle.dev";
  }

  @Override
  final void check() throws UsageException {
    namespaces.check();
  }

  @Override
  final Answer ask(KubernetesClient client, OperatorCalls calls) {
    return ask(client, calls.recoveries(namespaces.of(client)), clock.instant());
  }

  /** What it says of those recoveries. */
  abstract Answer ask(KubernetesClient client, List<Recovery> all, Instant now);

  /** Whether recoveries of all namespaces are meant. */
  final boolean ofAllNamespaces() {
    return namespaces.all();
  }
}
