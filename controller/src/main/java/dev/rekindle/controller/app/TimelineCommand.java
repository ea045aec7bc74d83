package dev.rekindle.controller.app;

import dev.rekindle.api.Recovery;
import dev.rekindle.cli.RefusedException;
import dev.rekindle.controller.cli.TimelineText;
import dev.rekindle.controller.kubernetes.OperatorCalls;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code rekindle timeline}: what a recovery did. */
@Command(
    name = "timeline",
    description = "What a recovery did, phase by phase. Changes nothing.",
    exitCodeList = {"0:done", ClusterCommand.REFUSED, ClusterCommand.USAGE})
public final class TimelineCommand extends ClusterCommand {
  @Parameters(paramLabel = "NAME", description = "Name of the Recovery.")
  private String name = "";

  @Mixin private final NamespaceOption namespace = new NamespaceOption();
  @Mixin private final OutputOption output = new OutputOption();

  /** Writes to {@code out}; reads with the user's kubeconfig. */
  public TimelineCommand(PrintStream out) {
    this(out, ClusterAccess.ofKubeconfig());
  }

  TimelineCommand(PrintStream out, ClusterAccess cluster) {
    super(out, cluster);
  }

  @Override
  String needs() {
    return "get recoveries.rekindle.dev";
  }

  @Override
  Answer ask(KubernetesClient client, OperatorCalls calls) throws RefusedException {
    String where = namespace.of(client);
    Recovery recovery =
        calls
            .recovery(where, name)
            .orElseThrow(
                () ->
                    new RefusedException("no recovery %s in namespace %s".formatted(name, where)));
    return Answer.of(
        output.of(recovery, () -> TimelineText.of(OperatorCalls.listed(recovery)), client));
  }
}
