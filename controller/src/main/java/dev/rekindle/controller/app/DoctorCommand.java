package dev.rekindle.controller.app;

import com.fasterxml.jackson.core.JsonFactory;
import dev.rekindle.cli.UsageException;
import dev.rekindle.controller.doctor.Check;
import dev.rekindle.controller.doctor.CheckTable;
import dev.rekindle.controller.doctor.ExaminedJob;
import dev.rekindle.controller.doctor.JobChecks;
import dev.rekindle.controller.kubernetes.JobExamination;
import dev.rekindle.detect.ApiErrors;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rekindle doctor}: what there is to go by for a running job. Changes nothing. */
@Command(
    name = "doctor",
    description = {
      "What Rekindle has to go by if a running PyTorchJob breaks or hangs, and what to do for more."
          + " Reads API objects with your kubeconfig, and executes nothing in pods."
    },
    exitCodeList = {
      "0:everything recommended is there",
      "2:wrong usage, no such job, or the API server refuses",
      "3:something is missing, or not known"
    })
public final class DoctorCommand implements Callable<Integer> {
  /** Something is missing. */
  static final int MISSING = 3;

  private static final JsonFactory JSON = new JsonFactory();

  @Parameters(paramLabel = "JOB", description = "Name of the PyTorchJob.")
  private String job = "";

  @Option(
      names = {"-n", "--namespace"},
      defaultValue = "",
      description = "Its namespace; without it, that of the kubeconfig.")
  private String namespace = "";

  @Option(names = "--json", description = "One JSON object.")
  private boolean json;

  private final PrintStream out;
  private final Supplier<KubernetesClient> clients;
  private final InstantSource clock;

  /** Writes to {@code out}; reads with the user's kubeconfig. */
  public DoctorCommand(PrintStream out) {
    this(out, DoctorCommand::client, InstantSource.system());
  }

  DoctorCommand(PrintStream out, Supplier<KubernetesClient> clients, InstantSource clock) {
    this.out = out;
    this.clients = clients;
    this.clock = clock;
  }

  /** A person waits: an API server that does not answer is not asked as long as by a controller. */
  private static KubernetesClient client() {
    var config = Config.autoConfigure(null);
    config.setRequestRetryBackoffLimit(2);
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  @Override
  public Integer call() throws UsageException {
    List<Check> checks = JobChecks.of(read(), clock.instant());
    out.print(json ? json(checks) : CheckTable.of(checks));
    out.flush();
    return checks.stream().allMatch(c -> c.status() == Check.Status.OK) ? 0 : MISSING;
  }

  private ExaminedJob read() throws UsageException {
    try (var client = clients.get()) {
      String where =
          namespace.isEmpty()
              ? Objects.requireNonNullElse(client.getNamespace(), "default")
              : namespace;
      return new JobExamination(client)
          .of(where, job)
          .orElseThrow(
              () -> new UsageException("no PyTorchJob %s in namespace %s".formatted(job, where)));
    } catch (KubernetesClientException e) {
      throw new UsageException("the API server cannot be read: " + ApiErrors.describe(e));
    }
  }

  private String json(List<Check> checks) throws UsageException {
    var text = new StringWriter();
    try (var to = JSON.createGenerator(text)) {
      to.writeStartObject();
      to.writeStringField("job", job);
      to.writeArrayFieldStart("checks");
      for (Check check : checks) {
        to.writeStartObject();
        to.writeStringField("name", check.name());
        to.writeStringField("status", check.status().word());
        to.writeStringField("detail", check.detail());
        to.writeStringField("advice", check.advice());
        to.writeEndObject();
      }
      to.writeEndArray();
      to.writeEndObject();
    } catch (IOException e) {
      throw UsageException.of("the checks cannot be written", e);
    }
    return text.append('\n').toString();
  }
}
