package dev.rekindle.controller.app;

import dev.rekindle.cli.RefusedException;
import dev.rekindle.cli.TextTable;
import dev.rekindle.cli.UsageException;
import dev.rekindle.controller.kubernetes.OperatorCalls;
import dev.rekindle.controller.kubernetes.OperatorCalls.Release;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.Console;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rekindle release}: a repaired node is given back. */
@Command(
    name = "release",
    description = {
      "Releases a repaired node: deletes the NodeFaults that fence it, and lifts the cordon if it"
          + " is Rekindle's. Asks for confirmation."
    },
    exitCodeList = {
      "0:released, or shown by --dry-run",
      "1:not found, nothing to release, not confirmed, or the cluster refuses or does not answer",
      "2:wrong usage, or no terminal for the confirmation and no --yes"
    })
public final class ReleaseCommand extends ClusterCommand {
  @Parameters(paramLabel = "NODE", description = "Name of the node.")
  private String name = "";

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask.")
  private boolean yes;

  @Option(
      names = "--forgive",
      description =
          "Also delete the record of its incidents and stalls, and with it the label lemon.")
  private boolean forgive;

  @Option(
      names = "--dry-run",
      paramLabel = "client",
      defaultValue = "none",
      description = "client: only print what would be done.")
  private String dryRun = "none";

  private final Function<String, Optional<String>> person;

  /** Writes to {@code out}; calls with the user's kubeconfig; asks on the terminal. */
  public ReleaseCommand(PrintStream out) {
    this(out, ClusterAccess.ofKubeconfig(), ReleaseCommand::askOnTerminal);
  }

  /**
   * With a person to ask.
   *
   * @param person answers a question; empty where there is no terminal
   */
  ReleaseCommand(
      PrintStream out, ClusterAccess cluster, Function<String, Optional<String>> person) {
    super(out, cluster);
    this.person = person;
  }

  private static Optional<String> askOnTerminal(String question) {
    return Optional.ofNullable(System.console())
        .filter(Console::isTerminal)
        .map(console -> Optional.ofNullable(console.readLine("%s", question)).orElse(""));
  }

  @Override
  String needs() {
    return "get and patch nodes, and list and delete nodefaults.rekindle.dev";
  }

  @Override
  void check() throws UsageException {
    if (!List.of("none", "client").contains(dryRun)) {
      throw new UsageException("--dry-run is '%s', not client".formatted(dryRun));
    }
  }

  @Override
  Answer ask(KubernetesClient client, OperatorCalls calls) throws RefusedException, UsageException {
    Release release =
        calls
            .release(name, forgive)
            .orElseThrow(() -> new RefusedException("no node %s".formatted(name)));
    if (release.plan().empty()) {
      throw new RefusedException("node %s is not fenced by Rekindle".formatted(name));
    }
    boolean dry = dryRun.equals("client");
    release.plan().lines().forEach(line -> print(line + (dry ? " (dry run)\n" : "\n")));
    if (dry) {
      return Answer.of("");
    }
    confirm();
    calls.carryOut(release);
    return Answer.of("node/%s released\n".formatted(TextTable.printable(name)));
  }

  private void confirm() throws RefusedException, UsageException {
    if (yes) {
      return;
    }
    String answer =
        person
            .apply("Do this? [y/N] ")
            .orElseThrow(
                () -> new UsageException("there is no terminal to ask on: say --yes to go on"));
    if (!answer.strip().equalsIgnoreCase("y") && !answer.strip().equalsIgnoreCase("yes")) {
      throw new RefusedException("not confirmed: nothing was done");
    }
  }
}
