package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.doctor.Check.missing;
import static dev.rekindle.controller.doctor.Check.ok;
import static dev.rekindle.controller.doctor.Check.unknown;

import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.doctor.ExaminedCluster.Leader;
import dev.rekindle.controller.doctor.ExaminedCluster.Operator;
import dev.rekindle.controller.doctor.ExaminedCluster.Webhook;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.network.NetworkWarnings;
import dev.rekindle.controller.placement.topology.Fabric;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** All checks of a cluster. Pure: the same for the same objects at the same time. */
public final class ClusterChecks {
  /** What the training operator takes where no argument says it. */
  private static final int DEFAULT_QPS = 20;

  /** A gang whose pods the operator creates in less time than this is not slowed down by it. */
  private static final int SECONDS = 10;

  private static final int MOST_NAMED = 4;

  private ClusterChecks() {}

  /** In the order in which they are to be repaired, then a line for each opted-in job. */
  public static List<Check> of(ExaminedCluster e, Instant now) {
    List<Check> checks = new ArrayList<>();
    checks.add(
        e.crds().isEmpty()
            ? ok("crds", "all kinds are served, with the fields of this release")
            : missing("crds", e.crds(), "kubectl apply --server-side -f charts/rekindle/crds"));
    checks.add(controller(e));
    checks.add(permissions(e));
    checks.add(policy(e));
    checks.add(operator(e));
    webhooks(e).ifPresent(checks::add);
    checks.add(topology(e));
    if (!e.kueue().isEmpty()) {
      checks.add(ok("kueue", "API %s; it stops and starts jobs with a queue".formatted(e.kueue())));
    }
    spiderpool(e).ifPresent(checks::add);
    checks.add(agents(e, now));
    e.jobs().stream().map(job -> job(job, now)).forEach(checks::add);
    if (e.jobs().isEmpty()) {
      checks.add(
          missing("jobs", "no job is opted in", "set rekindle.dev/recover: \"true\" on a job"));
    }
    if (e.more() > 0) {
      checks.add(
          unknown(
              "jobs",
              "%d more are not examined".formatted(e.more()),
              "kubectl rekindle doctor -n NAMESPACE"));
    }
    return List.copyOf(checks);
  }

  private static Check controller(ExaminedCluster e) {
    String advice = "kubectl get pods -A -l app.kubernetes.io/name=rekindle";
    if (e.controller().isEmpty()) {
      return unknown("controller", "its lease cannot be read", "ask for the right to list leases");
    }
    Leader leader = e.controller().get();
    if (leader.pod().isEmpty()) {
      return missing("controller", "no controller holds the lease", advice);
    }
    return leader.fresh()
        ? ok("controller", leader.pod() + " leads")
        : missing("controller", leader.pod() + " holds the lease and does not renew it", advice);
  }

  private static Check permissions(ExaminedCluster e) {
    String name = "permissions";
    Optional<List<String>> denied = e.controller().flatMap(Leader::denied);
    if (denied.isEmpty()) {
      return unknown(
          name,
          "what the controller may do cannot be read",
          "ask for the right to create subjectaccessreviews");
    }
    return denied.get().isEmpty()
        ? ok(name, "the controller may do what it has to")
        : missing(
            name,
            "%s may not %s"
                .formatted(
                    e.controller().map(Leader::account).orElse(""),
                    String.join(", ", denied.get())),
            "install the roles of the chart, rbac.create");
  }

  private static Check policy(ExaminedCluster e) {
    if (!e.policiesRead()) {
      return unknown(
          "policy",
          "RecoveryPolicies cannot be read",
          "ask for the right to list recoverypolicies.rekindle.dev");
    }
    return e.policy()
        .map(
            p ->
                ok(
                    "policy",
                    "RecoveryPolicy default allows mode "
                        + p.mode().name().toLowerCase(Locale.ROOT)))
        .orElseGet(
            () ->
                missing(
                    "policy",
                    "there is no usable RecoveryPolicy default: everything is only observed",
                    "see its condition Accepted; the chart installs one"));
  }

  private static Check operator(ExaminedCluster e) {
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
  private static Optional<Check> webhooks(ExaminedCluster e) {
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
        : Optional.of(ok(name, "PyTorchJobs pass " + named(names)));
  }

  private static Check topology(ExaminedCluster e) {
    if (e.nodes().isEmpty()) {
      return unknown("topology", "nodes cannot be read", "ask for the right to list nodes");
    }
    List<NodeView> gpuNodes = e.nodes().get().stream().filter(n -> n.gpus() > 0).toList();
    if (gpuNodes.isEmpty()) {
      return unknown("topology", "no node has GPUs", "check again once nodes with GPUs are there");
    }
    List<String> keys = e.policy().map(Policy::topologyKeys).orElse(List.of());
    List<String> levels = Fabric.of(keys, gpuNodes).levels();
    return levels.isEmpty()
        ? missing(
            "topology",
            "no label says where the %d nodes with GPUs are in the network"
                .formatted(gpuNodes.size()),
            "label nodes, or name labels in topologyKeys of the policy; docs/rdma.md")
        : ok("topology", String.join(", ", levels) + ", nearest first");
  }

  /** Empty where it is not installed, or may not be read. */
  private static Optional<Check> spiderpool(ExaminedCluster e) {
    var installed = e.spiderpool();
    if (!installed.networks().installed()) {
      return Optional.empty();
    }
    String version = installed.version().isEmpty() ? "unknown" : installed.version();
    String detail = "version %s, %d pools".formatted(version, installed.networks().pools().size());
    Optional<String> old = NetworkWarnings.old(installed.version());
    if (old.isPresent()) {
      return Optional.of(missing("spiderpool", old.get(), "update Spiderpool"));
    }
    return Optional.of(
        installed.webhookNodes().stream().distinct().count() == 1
            ? missing(
                "spiderpool",
                detail + "; all pods of its webhook are on " + installed.webhookNodes().getFirst(),
                "give its controller a second replica on another node")
            : ok("spiderpool", detail));
  }

  private static Check agents(ExaminedCluster e, Instant now) {
    Set<String> nodes = new TreeSet<>();
    Set<String> heard = new TreeSet<>();
    for (ExaminedJob job : e.jobs()) {
      job.job().pods().stream()
          .filter(JobChecks::runs)
          .map(PodView::node)
          .filter(node -> !node.isEmpty())
          .forEach(nodes::add);
      job.job().ranks().stream()
          .filter(r -> GangProgress.fresh(r.observedTime(), now))
          .forEach(r -> heard.add(r.node()));
    }
    int all = nodes.size();
    nodes.removeAll(heard);
    return nodes.isEmpty()
        ? ok("agents", "report from all %d nodes with opted-in jobs".formatted(all))
        : missing(
            "agents",
            "no report within 30 s from %d of %d nodes with opted-in jobs: %s"
                .formatted(nodes.size(), all, named(List.copyOf(nodes))),
            "check the rekindle agents of those nodes, and the clock of this machine");
  }

  private static Check job(ExaminedJob job, Instant now) {
    var key = job.job().job().key();
    String name = "job " + key;
    List<Check> checks = JobChecks.of(job, now);
    String lacks = names(checks, Check.Status.MISSING);
    String open = names(checks, Check.Status.UNKNOWN);
    String advice = "kubectl rekindle doctor -n %s %s".formatted(key.namespace(), key.name());
    if (!lacks.isEmpty()) {
      return missing(name, "lacks " + lacks, advice);
    }
    return open.isEmpty()
        ? ok(name, "nothing is missing")
        : unknown(name, "not known: " + open, advice);
  }

  private static String names(List<Check> checks, Check.Status status) {
    return checks.stream()
        .filter(c -> c.status() == status)
        .map(Check::name)
        .distinct()
        .collect(Collectors.joining(", "));
  }

  private static String named(List<String> names) {
    return String.join(", ", names.stream().limit(MOST_NAMED).toList())
        + (names.size() > MOST_NAMED ? ", ..." : "");
  }
}
