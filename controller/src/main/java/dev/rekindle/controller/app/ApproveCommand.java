package dev.rekindle.controller.app;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.cli.RefusedException;
import dev.rekindle.cli.TextTable;
import dev.rekindle.controller.cli.ListedRecovery;
import dev.rekindle.controller.kubernetes.OperatorCalls;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintStream;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
      "0:approved, also if it was before",
      "1:not found, already over, or the cluster refuses or does not answer",
      ClusterCommand.USAGE
    })
public final class ApproveCommand extends ClusterCommand {
  @Parameters(paramLabel = "NAME", description = "Name of the Recovery, or NodeFault.")
  private String name = "";

  @Mixin private final NamespaceOption namespace = new NamespaceOption();

  @Option(names = "--fault", description = "NAME is a NodeFault.")
  private boolean fault;

  /** Writes to {@code out}; calls with the user's kubeconfig. */
  public ApproveCommand(PrintStream out) {
    this(out, ClusterAccess.ofKubeconfig());
  }

  ApproveCommand(PrintStream out, ClusterAccess cluster) {
    super(out, cluster);
  }

  @Override
  String needs() {
    return fault
        ? "get nodefaults.rekindle.dev and patch nodes"
        : "get and patch recoveries.rekindle.dev";
  }

  @Override
  Answer ask(KubernetesClient client, OperatorCalls calls) throws RefusedException {
    return fault ? approveFault(calls) : approveRecovery(namespace.of(client), calls);
  }

  private Answer approveRecovery(String where, OperatorCalls calls) throws RefusedException {
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
    if (OperatorCalls.approvalExpired(recovery)) {
      calls.approveAgain(recovery);
      return said("recovery/%s approved again".formatted(name));
    }
    if (Boolean.TRUE.equals(recovery.getSpec().approved())) {
      return said("recovery/%s was approved before".formatted(name));
    }
    calls.approve(recovery);
    return said("recovery/%s approved".formatted(name));
  }

  private Answer approveFault(OperatorCalls calls) throws RefusedException {
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

  private static Answer said(String what) {
    return Answer.of(TextTable.printable(what) + "\n");
  }
}
