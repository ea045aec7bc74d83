package dev.rekindle.controller.app;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.cli.RefusedException;
import dev.rekindle.cli.UsageException;
import dev.rekindle.controller.cli.ListedRecovery;
import dev.rekindle.controller.cli.Table;
import dev.rekindle.controller.kubernetes.OperatorCalls;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintStream;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rekindle approve}: a person lets a recovery or a fence go on. */
@Command(
    name = "approve",
    description = {
      "Approves a Recovery of a job in mode approve (spec.approved), or with --fault a NodeFault,"
          + " for which its node is then fenced (annotation rekindle.dev/approve-fence)."
    },
    exitCodeList = {
      "0:approved, also where it was before",
      "1:no such object, it is over, or the cluster refuses",
      "2:wrong usage"
    })
public final class ApproveCommand implements Callable<Integer> {
  @Parameters(paramLabel = "NAME", description = "Name of the Recovery, or NodeFault.")
  private String name = "";

  @Option(
      names = {"-n", "--namespace"},
      defaultValue = "",
      description = "Namespace of the Recovery; without it, that of the kubeconfig.")
  private String namespace = "";

  @Option(names = "--fault", description = "NAME is a NodeFault.")
  private boolean fault;

  private final PrintStream out;
  private final ClusterAccess cluster;

  /** Writes to {@code out}; calls with the user's kubeconfig. */
  public ApproveCommand(PrintStream out) {
    this(out, ClusterAccess.ofKubeconfig());
  }

  ApproveCommand(PrintStream out, ClusterAccess cluster) {
    this.out = out;
    this.cluster = cluster;
  }

  @Override
  public Integer call() throws RefusedException, UsageException {
    return fault
        ? cluster.with("get nodefaults.rekindle.dev and patch nodes", this::approveFault)
        : cluster.with("get and patch recoveries.rekindle.dev", this::approveRecovery);
  }

  private int approveRecovery(KubernetesClient client, OperatorCalls calls)
      throws RefusedException {
    String where = ClusterAccess.namespace(namespace, client);
    Recovery recovery =
        calls
            .recovery(where, name)
            .orElseThrow(
                () ->
                    new RefusedException(
                        "no recovery %s in namespace %s; a NodeFault is approved with --fault"
                            .formatted(name, where)));
    ListedRecovery listed = OperatorCalls.listed(recovery);
    Optional<RecoveryPhase> over = listed.phase().filter(RecoveryPhase::isTerminal);
    if (over.isPresent()) {
      throw new RefusedException("recovery %s is over (%s)".formatted(name, over.get().word()));
    }
    if (Boolean.TRUE.equals(recovery.getSpec().approved())) {
      return said("recovery/%s was approved before".formatted(name));
    }
    calls.approve(recovery);
    return said("recovery/%s approved".formatted(name));
  }

  private int approveFault(KubernetesClient client, OperatorCalls calls) throws RefusedException {
    NodeFault found =
        calls
            .fault(name)
            .orElseThrow(() -> new RefusedException("no NodeFault %s".formatted(name)));
    NodeFaultStatus status = found.getStatus();
    if (status != null && status.state() == NodeFaultStatus.State.CLEARED) {
      throw new RefusedException("NodeFault %s is cleared: it fences nothing".formatted(name));
    }
    calls.approve(found);
    return said("node/%s: its fence for %s approved".formatted(found.getSpec().node(), name));
  }

  private int said(String what) {
    out.println(Table.printable(what));
    out.flush();
    return 0;
  }
}
