package dev.rekindle.controller.app;

import dev.rekindle.cli.RefusedException;
import dev.rekindle.cli.UsageException;
import dev.rekindle.controller.kubernetes.OperatorCalls;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintStream;
import java.util.concurrent.Callable;

/**
 * A command on the cluster of a person's kubeconfig: connects, asks, prints, and ends with one of
 * the exit codes that all of them share. What the API server refuses is exit code 1, with its words
 * and the rights that it takes.
 */
abstract class ClusterCommand implements Callable<Integer> {
  /** Exit code 1 in the help of a command. */
  static final String REFUSED = "1:not found, or the cluster refuses or does not answer";

  /** Exit code 2 in the help of a command. */
  static final String USAGE = "2:wrong usage";

  private final PrintStream out;
  private final ClusterAccess cluster;

  ClusterCommand(PrintStream out, ClusterAccess cluster) {
    this.out = out;
    this.cluster = cluster;
  }

  /**
   * What a command prints, and its exit code.
   *
   * @param text whole lines, or nothing
   */
  record Answer(String text, int code) {
    /** One of a command that has done what it was asked. */
    static Answer of(String text) {
      return new Answer(text, 0);
    }
  }

  /** The rights that it takes, as a role has them: verbs and resources. */
  abstract String needs();

  /** Checks the options before the cluster is asked. */
  void check() throws UsageException {}

  /** Asks the cluster. */
  abstract Answer ask(KubernetesClient client, OperatorCalls calls)
      throws RefusedException, UsageException;

  @Override
  public final Integer call() throws RefusedException, UsageException {
    check();
    return cluster.with(
        needs(),
        (client, calls) -> {
          Answer answer = ask(client, calls);
          print(answer.text());
          return answer.code();
        });
  }

  /** Prints at once, for what a person must see before the answer. */
  final void print(String text) {
    out.print(text);
    out.flush();
  }
}
