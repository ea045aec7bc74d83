package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.doctor.Check.missing;
import static dev.rekindle.controller.doctor.Check.ok;
import static dev.rekindle.controller.doctor.Check.unknown;

import dev.rekindle.controller.model.GangScheduling.Group;
import dev.rekindle.controller.model.GangScheduling.Kueue;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.ResumeInjection;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.model.WorkloadView;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Which queue or gang scheduler admits the gang; no line where there is none. */
final class GangChecks {
  private GangChecks() {}

  static List<Check> of(ExaminedJob e) {
    List<Check> checks = new ArrayList<>();
    JobView job = e.job().job();
    if (job.gang() instanceof Kueue(String queue, _) && job.notOurs().isEmpty()) {
      checks.add(queue(job, queue));
    }
    if (job.spares().count() > 0) {
      checks.add(spares(e, job.spares().count()));
    }
    Group group = Group.of(e.job().pods());
    String detail = "%s, PodGroup %s".formatted(group.scheduler().title(), group.name());
    switch (group.scheduler()) {
      case NONE -> {}
      case COSCHEDULING -> checks.add(ok("gang scheduler", detail));
      case VOLCANO ->
          checks.add(
              unknown("gang scheduler", detail, "untested: watch the first recovery yourself"));
    }
    return checks;
  }

  private static Check spares(ExaminedJob e, int asked) {
    String where =
        e.spares().stream()
            .filter(SpareView::warm)
            .map(SpareView::node)
            .sorted()
            .collect(Collectors.joining(", "));
    long warm = e.spares().stream().filter(SpareView::warm).count();
    int allowed = e.policy().map(policy -> Math.min(asked, policy.maxSpares())).orElse(asked);
    String detail =
        "%d of %d warm%s".formatted(warm, asked, where.isEmpty() ? "" : ", on " + where);
    return warm >= asked
        ? ok("warm spares", detail)
        : missing(
            "warm spares",
            allowed < asked ? detail + "; the policy allows %d".formatted(allowed) : detail,
            "see event SpareWanting of the job; the chart has spares.enabled, the policy spares");
  }

  private static Check queue(JobView job, String queue) {
    if (job.queued()) {
      return missing(
          "queue",
          "Kueue has not admitted the job: "
              + QueuedJob.workload(job).map(WorkloadView::message).orElse(""),
          "free quota");
    }
    return ok(
        "queue",
        "Kueue admits it, queue %s; %s"
            .formatted(
                queue,
                job.injection() == ResumeInjection.BY_ANNOTATION
                    ? "a rebuild gives its script the checkpoint"
                    : "its script finds its checkpoint by itself"));
  }
}
