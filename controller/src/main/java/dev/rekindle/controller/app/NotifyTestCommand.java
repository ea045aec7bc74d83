package dev.rekindle.controller.app;

import dev.rekindle.cli.RefusedException;
import dev.rekindle.cli.TextTable;
import dev.rekindle.controller.kubernetes.OperatorCalls;
import dev.rekindle.controller.kubernetes.PodExec;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rekindle notify-test}: whether the webhooks of an installation take what is sent. */
@Command(
    name = "notify-test",
    description = {
      "Sends each webhook of the installation, or one, a signed event of type dev.rekindle.test.v1,"
          + " from a pod of the controller: by its network, with its keys. Prints what the receiver"
          + " answered."
    },
    exitCodeList = {
      "0:accepted by all receivers",
      "1:not found, not accepted by all, or the cluster refuses or does not answer",
      ClusterCommand.USAGE
    })
public final class NotifyTestCommand extends ClusterCommand {
  /** Eight webhooks at most, ten seconds each, and the start of a JVM. */
  private static final Duration LIMIT = Duration.ofSeconds(100);

  private static final int MOST_LINES = 40;

  @Parameters(
      paramLabel = "WEBHOOK",
      arity = "0..1",
      defaultValue = "",
      description = "Name of the webhook; all without it.")
  private String webhook = "";

  @Option(
      names = {"-n", "--namespace"},
      defaultValue = "rekindle-system",
      description = "Where Rekindle is installed; ${DEFAULT-VALUE} by default.")
  private String namespace = "rekindle-system";

  @Mixin private final OutputOption output = new OutputOption();

  /** Writes to {@code out}; calls with the user's kubeconfig. */
  public NotifyTestCommand(PrintStream out) {
    this(out, ClusterAccess.ofKubeconfig());
  }

  NotifyTestCommand(PrintStream out, ClusterAccess cluster) {
    super(out, cluster);
  }

  @Override
  String needs() {
    return "list pods and create pods/exec";
  }

  @Override
  Answer ask(KubernetesClient client, OperatorCalls calls) throws RefusedException {
    PodExec exec = new PodExec(client, namespace);
    String pod =
        exec.readyController()
            .orElseThrow(
                () ->
                    new RefusedException(
                        "no pod of Rekindle's controller is Ready in namespace " + namespace));
    boolean asText = output.isTable();
    List<String> words =
        new ArrayList<>(List.of("/opt/jre/bin/java", "-Xmx24m", "@/app/run.args", "notify-test"));
    if (!asText) {
      words.add(NotifyTestResult.JSON);
    }
    if (!webhook.isEmpty()) {
      words.add(webhook);
    }
    PodExec.Result result = exec.run(pod, "controller", words, LIMIT);
    List<String> lines = result.text().lines().limit(MOST_LINES).toList();
    String answer =
        asText
            ? lines.stream().map(TextTable::printable).collect(Collectors.joining("\n", "", "\n"))
            : output.of(results(pod, lines), () -> "", client);
    return new Answer(answer, result.code() == 0 ? 0 : 1);
  }

  static Object results(String pod, List<String> lines) throws RefusedException {
    List<NotifyTestResult> results =
        lines.stream().map(NotifyTestResult::read).flatMap(Optional::stream).toList();
    if (results.isEmpty()) {
      // One of an earlier version takes the option for a name.
      throw new RefusedException("pod %s printed no result as JSON".formatted(pod));
    }
    return Map.of("webhooks", results);
  }
}
