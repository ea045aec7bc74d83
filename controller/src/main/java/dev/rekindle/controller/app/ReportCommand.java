package dev.rekindle.controller.app;

import dev.rekindle.api.Recovery;
import dev.rekindle.controller.cli.ListedRecovery;
import dev.rekindle.controller.cli.Report;
import dev.rekindle.controller.cli.ReportText;
import dev.rekindle.controller.kubernetes.OperatorCalls;
import dev.rekindle.controller.kubernetes.PriceCalls;
import dev.rekindle.detect.policy.GpuPrices;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code rekindle report}: what failures have cost. */
@Command(
    name = "report",
    description = {
      "What failures have cost, in GPU-hours and money, by job, namespace, cause or node: added up"
          + " over the Recoveries that still exist. Prices are those of RecoveryPolicy default"
          + " (cost). Changes nothing."
    },
    exitCodeList = {"0:done, also if there are none", ClusterCommand.REFUSED, ClusterCommand.USAGE})
public final class ReportCommand extends RecoveriesCommand {
  /** The forms of {@code -o}. */
  enum Form {
    table,
    csv,
    markdown,
    json
  }

  @Option(
      names = "--since",
      paramLabel = "DURATION",
      defaultValue = "30d",
      description = "Recoveries of that time, such as 12h or 30d; ${DEFAULT-VALUE} by default.")
  private Duration since = Duration.ofDays(30);

  @Option(
      names = "--by",
      defaultValue = "job",
      description = "What a row stands for: ${COMPLETION-CANDIDATES}.")
  private Report.By by = Report.By.job;

  @Option(
      names = {"-o", "--output"},
      defaultValue = "table",
      description = "One of: ${COMPLETION-CANDIDATES}.")
  private Form form = Form.table;

  /** Writes to {@code out}; reads with the user's kubeconfig. */
  public ReportCommand(PrintStream out) {
    this(out, ClusterAccess.ofKubeconfig(), InstantSource.system());
  }

  ReportCommand(PrintStream out, ClusterAccess cluster, InstantSource clock) {
    super(out, cluster, clock);
  }

  @Override
  Answer ask(KubernetesClient client, List<Recovery> all, Instant now) {
    List<ListedRecovery> listed = all.stream().map(OperatorCalls::listed).toList();
    var priced = new PriceCalls(client);
    GpuPrices prices = priced.prices();
    Map<String, String> products = prices.models().isEmpty() ? Map.of() : priced.products();
    Report report =
        Report.of(listed, by, now.minus(since), now, prices, products).with(priced.notes());
    return Answer.of(
        switch (form) {
          case table -> ReportText.table(report);
          case csv -> ReportText.csv(report);
          case markdown -> ReportText.markdown(report);
          case json -> client.getKubernetesSerialization().asJson(report.object()) + "\n";
        });
  }
}
