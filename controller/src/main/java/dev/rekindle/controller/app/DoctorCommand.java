package dev.rekindle.controller.app;

import dev.rekindle.cli.RefusedException;
import dev.rekindle.controller.doctor.Check;
import dev.rekindle.controller.doctor.CheckTable;
import dev.rekindle.controller.doctor.ExaminedJob;
import dev.rekindle.controller.doctor.JobChecks;
import dev.rekindle.controller.kubernetes.JobExamination;
import dev.rekindle.controller.kubernetes.OperatorCalls;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintStream;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code rekindle doctor}: what there is to go by for a running job. Changes nothing. */
@Command(
    name = "doctor",
    description = {
      "What Rekindle can use to diagnose a running PyTorchJob if it fails or hangs, and how to add"
          + " what is missing. Reads API objects with your kubeconfig, and executes nothing in"
          + " pods."
    },
    exitCodeList = {
      "0:nothing is missing",
      ClusterCommand.REFUSED,
      ClusterCommand.USAGE,
      "3:something is missing, or could not be read"
    })
public final class DoctorCommand extends ClusterCommand {
  /** Something is missing. */
  static final int MISSING = 3;

  @Parameters(paramLabel = "JOB", description = "Name of the PyTorchJob.")
  private String job = "";

  @Mixin private final NamespaceOption namespace = new NamespaceOption();
  @Mixin private final OutputOption output = new OutputOption();

  private final InstantSource clock;

  /** Writes to {@code out}; reads with the user's kubeconfig. */
  public DoctorCommand(PrintStream out) {
    this(out, ClusterAccess.ofKubeconfig(), InstantSource.system());
  }

  DoctorCommand(PrintStream out, ClusterAccess cluster, InstantSource clock) {
    super(out, cluster);
    this.clock = clock;
  }

  @Override
  String needs() {
    return "get pytorchjobs.kubeflow.org and read what belongs to them";
  }

  @Override
  Answer ask(KubernetesClient client, OperatorCalls calls) throws RefusedException {
    String where = namespace.of(client);
    ExaminedJob examined =
        new JobExamination(client)
            .of(where, job)
            .orElseThrow(
                () ->
                    new RefusedException("no PyTorchJob %s in namespace %s".formatted(job, where)));
    List<Check> checks = JobChecks.of(examined, clock.instant());
    return new Answer(
        output.of(objects(checks), () -> CheckTable.of(checks), client),
        checks.stream().allMatch(c -> c.status() == Check.Status.OK) ? 0 : MISSING);
  }

  private Object objects(List<Check> checks) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("job", job);
    all.put("checks", checks.stream().map(DoctorCommand::object).toList());
    return all;
  }

  private static Map<String, String> object(Check check) {
    Map<String, String> one = new LinkedHashMap<>();
    one.put("name", check.name());
    one.put("status", check.status().word());
    one.put("detail", check.detail());
    one.put("advice", check.advice());
    return one;
  }
}
