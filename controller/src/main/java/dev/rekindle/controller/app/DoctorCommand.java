package dev.rekindle.controller.app;

import dev.rekindle.cli.RefusedException;
import dev.rekindle.controller.doctor.Check;
import dev.rekindle.controller.doctor.CheckTable;
import dev.rekindle.controller.doctor.ClusterChecks;
import dev.rekindle.controller.doctor.ExaminedJob;
import dev.rekindle.controller.doctor.JobChecks;
import dev.rekindle.controller.kubernetes.ClusterExamination;
import dev.rekindle.controller.kubernetes.JobExamination;
import dev.rekindle.controller.kubernetes.OperatorCalls;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintStream;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code rekindle doctor}: what there is to go by for a running job, or for all of a cluster.
 * Changes nothing.
 */
@Command(
    name = "doctor",
    description = {
      "What Rekindle can use to diagnose a running PyTorchJob if it fails or hangs, and how to add"
          + " what is missing. Without JOB, the cluster: what Rekindle needs of it, and a line for"
          + " each opted-in job. Reads API objects with your kubeconfig, and executes nothing in"
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

  @Parameters(
      paramLabel = "JOB",
      arity = "0..1",
      defaultValue = "",
      description = "Name of the PyTorchJob; without it, the cluster.")
  private String job = "";

  @Option(
      names = {"-n", "--namespace"},
      defaultValue = "",
      description =
          "The namespace; without it, that of the kubeconfig for a JOB, and all for the cluster.")
  private String namespace = "";

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
    return "%s pytorchjobs.kubeflow.org and read what belongs to them"
        .formatted(job.isEmpty() ? "list" : "get");
  }

  @Override
  Answer ask(KubernetesClient client, OperatorCalls calls) throws RefusedException {
    Instant now = clock.instant();
    List<Check> checks =
        job.isEmpty()
            ? ClusterChecks.of(new ClusterExamination(client, now).read(namespace), now)
            : JobChecks.of(examined(client, now), now);
    return new Answer(
        output.of(objects(checks), () -> CheckTable.of(checks), client),
        checks.stream().allMatch(c -> c.status() == Check.Status.OK) ? 0 : MISSING);
  }

  private ExaminedJob examined(KubernetesClient client, Instant now) throws RefusedException {
    String where =
        namespace.isEmpty()
            ? Objects.requireNonNullElse(client.getNamespace(), "default")
            : namespace;
    return new JobExamination(client, now)
        .of(where, job)
        .orElseThrow(
            () -> new RefusedException("no PyTorchJob %s in namespace %s".formatted(job, where)));
  }

  private Object objects(List<Check> checks) {
    Map<String, Object> all = new LinkedHashMap<>();
    if (!job.isEmpty()) {
      all.put("job", job);
    }
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
