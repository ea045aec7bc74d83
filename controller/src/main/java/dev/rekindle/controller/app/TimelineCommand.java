package dev.rekindle.controller.app;

import dev.rekindle.api.Recovery;
import dev.rekindle.cli.RefusedException;
import dev.rekindle.cli.UsageException;
import dev.rekindle.controller.cli.TimelineText;
import dev.rekindle.controller.kubernetes.OperatorCalls;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rekindle timeline}: what a recovery did. */
@Command(
    name = "timeline",
    description = "What a recovery did, phase by phase. Changes nothing.",
    exitCodeList = {"0:done", "1:no such recovery, or the cluster refuses", "2:wrong usage"})
public final class TimelineCommand implements Callable<Integer> {
  @Parameters(paramLabel = "NAME", description = "Name of the Recovery.")
  private String name = "";

  @Option(
      names = {"-n", "--namespace"},
      defaultValue = "",
      description = "Its namespace; without it, that of the kubeconfig.")
  private String namespace = "";

  @Option(
      names = {"-o", "--output"},
      defaultValue = "table",
      description = "One of: ${COMPLETION-CANDIDATES}; json and yaml print the Recovery.")
  private Output output = Output.table;

  private final PrintStream out;
  private final ClusterAccess cluster;

  /** Writes to {@code out}; reads with the user's kubeconfig. */
  public TimelineCommand(PrintStream out) {
    this(out, ClusterAccess.ofKubeconfig());
  }

  TimelineCommand(PrintStream out, ClusterAccess cluster) {
    this.out = out;
    this.cluster = cluster;
  }

  @Override
  public Integer call() throws RefusedException, UsageException {
    return cluster.with("get recoveries.rekindle.dev", this::print);
  }

  private int print(KubernetesClient client, OperatorCalls calls) throws RefusedException {
    String where = ClusterAccess.namespace(namespace, client);
    Recovery recovery =
        calls
            .recovery(where, name)
            .orElseThrow(
                () ->
                    new RefusedException("no recovery %s in namespace %s".formatted(name, where)));
    out.print(
        output.ofObjects()
            ? output.of(recovery, client)
            : TimelineText.of(OperatorCalls.listed(recovery)));
    out.flush();
    return 0;
  }
}
