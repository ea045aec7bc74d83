package dev.rekindle.controller.app;

import dev.rekindle.api.Recovery;
import dev.rekindle.cli.UsageException;
import dev.rekindle.controller.cli.RecoveryTable;
import dev.rekindle.controller.kubernetes.OperatorCalls;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintStream;
import java.time.InstantSource;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code rekindle list}: recoveries as a table. */
@Command(
    name = "list",
    description = "Lists recoveries, the newest last. Changes nothing.",
    exitCodeList = {
      "0:done, also where there are none",
      ClusterCommand.REFUSED,
      ClusterCommand.USAGE
    })
public final class ListCommand extends ClusterCommand {
  @Mixin private final NamespacesOption namespaces = new NamespacesOption();
  @Mixin private final OutputOption output = new OutputOption();

  @Option(names = "--job", defaultValue = "", description = "Only those of that job.")
  private String job = "";

  @Option(names = "--open", description = "Only those that are not over.")
  private boolean open;

  private final InstantSource clock;

  /** Writes to {@code out}; reads with the user's kubeconfig. */
  public ListCommand(PrintStream out) {
    this(out, ClusterAccess.ofKubeconfig(), InstantSource.system());
  }

  ListCommand(PrintStream out, ClusterAccess cluster, InstantSource clock) {
    super(out, cluster);
    this.clock = clock;
  }

  @Override
  String needs() {
    return "list recoveries.rekindle.dev";
  }

  @Override
  void check() throws UsageException {
    namespaces.check();
  }

  @Override
  Answer ask(KubernetesClient client, OperatorCalls calls) {
    List<Recovery> found =
        calls.recoveries(namespaces.of(client)).stream()
            .filter(r -> job.isEmpty() || r.getSpec().job().equals(job))
            .filter(r -> !open || OperatorCalls.listed(r).open())
            .toList();
    return Answer.of(output.of(OutputOption.listOf(found), () -> table(found), client));
  }

  private String table(List<Recovery> found) {
    return new RecoveryTable(namespaces.all(), output.wide())
        .of(found.stream().map(OperatorCalls::listed).toList(), clock.instant());
  }
}
