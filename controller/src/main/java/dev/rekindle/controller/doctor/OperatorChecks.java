package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.doctor.Check.missing;
import static dev.rekindle.controller.doctor.Check.ok;
import static dev.rekindle.controller.doctor.Check.unknown;

import dev.rekindle.controller.doctor.ExaminedCluster.Operator;
import dev.rekindle.controller.doctor.ExaminedCluster.Webhook;
import java.util.List;
import java.util.Optional;

/** Checks of the training operator and its webhooks. */
final class OperatorChecks {
  /** What the training operator takes where no argument says it. */
  private static final int DEFAULT_QPS = 20;

  /** A gang whose pods the operator creates in less time than this is not slowed down by it. */
  private static final int SECONDS = 10;

  private OperatorChecks() {}

  /** Whether one operator runs, fast enough for the largest gang. */
  static Check operator(ExaminedCluster e) {
    String name = "operator";
    if (e.operators().isEmpty()) {
      return unknown(name, "Deployments cannot be read", "ask for the right to list deployments");
    }
    List<Operator> all = e.operators().get();
    if (all.isEmpty()) {
      return unknown(
          name,
          "no Deployment runs an image named training-operator",
          "check that the training operator v1 runs outside of this cluster");
    }
    Operator first = all.getFirst();
    String detail =
        "%s, version %s, --kube-api-qps %s"
            .formatted(
                first.name(),
                first.version().isEmpty() ? "unknown" : first.version(),
                first.qps().isEmpty() ? DEFAULT_QPS + " by default" : first.qps());
    if (all.size() > 1) {
      return missing(name, all.size() + " run, the first is " + detail, "leave one of them");
    }
    if (first.ready() == 0) {
      return missing(name, detail + ", none Ready", "kubectl describe its pods");
    }
    int largest = e.jobs().stream().mapToInt(j -> j.job().job().gangSize()).max().orElse(0);
    double seconds = largest / qps(first);
    return seconds <= SECONDS
        ? ok(name, detail)
        : missing(
            name,
            "%s: a rebuild of %d pods takes it %.0f s or more".formatted(detail, largest, seconds),
            "set --kube-api-qps and --kube-api-burst of the operator to %d"
                .formatted((largest + SECONDS - 1) / SECONDS));
  }

  /** A number that no operator would start with counts as the default. */
  private static double qps(Operator operator) {
    try {
      double qps = Double.parseDouble(operator.qps());
      return qps > 0 ? qps : DEFAULT_QPS;
    } catch (NumberFormatException notSet) {
      return DEFAULT_QPS;
    }
  }

  /** Empty where the API server calls none. */
  static Optional<Check> webhooks(ExaminedCluster e) {
    String name = "webhook";
    if (e.webhooks().isEmpty()) {
      return Optional.of(
          unknown(
              name,
              "webhooks cannot be read",
              "ask for the right to list validating and mutatingwebhookconfigurations"));
    }
    for (Webhook webhook : e.webhooks().get()) {
      if (webhook.refuses() && webhook.ready().filter(ready -> ready == 0).isPresent()) {
        return Optional.of(
            missing(
                name,
                "%s has no Ready endpoint: no PyTorchJob can be written".formatted(webhook.name()),
                "repair the service behind it"));
      }
    }
    List<String> names = e.webhooks().get().stream().map(Webhook::name).distinct().toList();
    return names.isEmpty()
        ? Optional.empty()
        : Optional.of(ok(name, "PyTorchJobs pass " + OptedInChecks.named(names)));
  }
}
