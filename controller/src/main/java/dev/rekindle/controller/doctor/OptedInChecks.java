package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.doctor.Check.missing;
import static dev.rekindle.controller.doctor.Check.ok;
import static dev.rekindle.controller.doctor.Check.unknown;

import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.model.PodView;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Checks of the jobs that are opted in, and of the agents on their nodes. */
final class OptedInChecks {
  private static final int MOST_NAMED = 4;

  private OptedInChecks() {}

  /** Whether an agent reports from each node that such a job is on. */
  static Check agents(ExaminedCluster e, Instant now) {
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

  /** What is missing for one such job. */
  static Check job(ExaminedJob job, Instant now) {
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

  /** Some names, for people. */
  static String named(List<String> names) {
    return String.join(", ", names.stream().limit(MOST_NAMED).toList())
        + (names.size() > MOST_NAMED ? ", ..." : "");
  }
}
