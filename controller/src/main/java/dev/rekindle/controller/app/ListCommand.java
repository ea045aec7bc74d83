package dev.rekindle.controller.app;

import dev.rekindle.api.Recovery;
import dev.rekindle.controller.cli.RecoveryTable;
import dev.rekindle.controller.kubernetes.OperatorCalls;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintStream;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code rekindle list}: recoveries as a table. */
@Command(
    name = "list",
    description = "Lists recoveries, the newest last. Changes nothing.",
    exitCodeList = {"0:done, also if there are none", ClusterCommand.REFUSED, ClusterCommand.USAGE})
public final class ListCommand extends RecoveriesCommand {
  @Mixin private final OutputOption output = new OutputOption();

  @Option(names = "--job", defaultValue = "", description = "Only those of that job.")
  private String job = "";

  @Option(names = "--open", description = "Only those that are not over.")
  private boolean open;

  /** Writes to {@code out}; reads with the user's kubeconfig. */
  public ListCommand(PrintStream out) {
    this(out, ClusterAccess.ofKubeconfig(), InstantSource.system());
  }

  ListCommand(PrintStream out, ClusterAccess cluster, InstantSource clock) {
    super(out, cluster, clock);
  }

  @Override
  Answer ask(KubernetesClient client, List<Recovery> all, Instant now) {
    List<Recovery> found =
        all.stream()
            .filter(r -> job.isEmpty() || r.getSpec().job().equals(job))
            .filter(r -> !open || OperatorCalls.listed(r).open())
            .toList();
    return Answer.of(output.of(OutputOption.listOf(found), () -> table(found, now), client));
  }

  private String table(List<Recovery> found, Instant now) {
    return new RecoveryTable(ofAllNamespaces(), output.wide())
        .of(found.stream().map(OperatorCalls::listed).toList(), now);
  }
}
