package dev.rekindle.controller.app;

import dev.rekindle.api.Recovery;
import dev.rekindle.cli.RefusedException;
import dev.rekindle.cli.UsageException;
import dev.rekindle.controller.cli.RecoveryTable;
import dev.rekindle.controller.kubernetes.OperatorCalls;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintStream;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code rekindle list}: recoveries as a table. */
@Command(
    name = "list",
    description = "Lists recoveries, the newest last. Changes nothing.",
    exitCodeList = {"0:done, also where there are none", "1:the cluster refuses", "2:wrong usage"})
public final class ListCommand implements Callable<Integer> {
  @Option(
      names = {"-A", "--all-namespaces"},
      description = "Those of all namespaces.")
  private boolean all;

  @Option(
      names = {"-n", "--namespace"},
      defaultValue = "",
      description = "Their namespace; without it, that of the kubeconfig.")
  private String namespace = "";

  @Option(names = "--job", defaultValue = "", description = "Only those of that job.")
  private String job = "";

  @Option(names = "--open", description = "Only those that are not over.")
  private boolean open;

  @Option(
      names = {"-o", "--output"},
      defaultValue = "table",
      description = "One of: ${COMPLETION-CANDIDATES}.")
  private Output output = Output.table;

  private final PrintStream out;
  private final ClusterAccess cluster;
  private final InstantSource clock;

  /** Writes to {@code out}; reads with the user's kubeconfig. */
  public ListCommand(PrintStream out) {
    this(out, ClusterAccess.ofKubeconfig(), InstantSource.system());
  }

  ListCommand(PrintStream out, ClusterAccess cluster, InstantSource clock) {
    this.out = out;
    this.cluster = cluster;
    this.clock = clock;
  }

  @Override
  public Integer call() throws RefusedException, UsageException {
    if (all && !namespace.isEmpty()) {
      throw new UsageException("--all-namespaces and --namespace exclude each other");
    }
    return cluster.with("list recoveries.rekindle.dev", this::list);
  }

  private int list(KubernetesClient client, OperatorCalls calls) {
    List<Recovery> found =
        calls.recoveries(all ? "" : ClusterAccess.namespace(namespace, client)).stream()
            .filter(r -> job.isEmpty() || r.getSpec().job().equals(job))
            .filter(r -> !open || OperatorCalls.listed(r).open())
            .toList();
    if (output.ofObjects()) {
      Map<String, Object> list = new LinkedHashMap<>();
      list.put("apiVersion", "v1");
      list.put("kind", "List");
      list.put("items", found);
      out.print(output.of(list, client));
    } else {
      out.print(
          new RecoveryTable(all, output == Output.wide)
              .of(found.stream().map(OperatorCalls::listed).toList(), clock.instant()));
    }
    out.flush();
    return 0;
  }
}
