package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.doctor.Check.missing;
import static dev.rekindle.controller.doctor.Check.ok;
import static dev.rekindle.controller.doctor.Check.unknown;

import dev.rekindle.controller.doctor.ExaminedCluster.Leader;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.network.NetworkWarnings;
import dev.rekindle.controller.placement.topology.Fabric;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** All checks of a cluster. Pure: the same for the same objects at the same time. */
public final class ClusterChecks {

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
    checks.add(OperatorChecks.operator(e));
    OperatorChecks.webhooks(e).ifPresent(checks::add);
    checks.add(topology(e));
    if (!e.kueue().isEmpty()) {
      checks.add(ok("kueue", "API %s; it stops and starts jobs with a queue".formatted(e.kueue())));
    }
    spiderpool(e).ifPresent(checks::add);
    checks.add(OptedInChecks.agents(e, now));
    e.jobs().stream().map(job -> OptedInChecks.job(job, now)).forEach(checks::add);
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
            "install the roles of the chart");
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
            "label nodes, or name labels in restart.topologyKeys of the policy;"
                + " docs/operations/recoveries.md")
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
}
