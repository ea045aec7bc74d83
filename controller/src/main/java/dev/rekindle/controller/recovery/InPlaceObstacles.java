package dev.rekindle.controller.recovery;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RestartView;
import java.util.List;
import java.util.Optional;

/** What rules a restart in place out after it was chosen. */
final class InPlaceObstacles {
  private InPlaceObstacles() {}

  /** The first obstacle in whatever phase it is; empty for none. */
  static Optional<String> find(RecoverySnapshot s, JobView job) {
    if (job.finish() == Finish.FAILED) {
      return Optional.of("the operator has failed the job");
    }
    Optional<String> scaled = Scaling.since(s, job);
    if (scaled.isPresent()) {
      return scaled;
    }
    List<RestartView> reports = NodeReports.of(s.pods(), s.reports());
    Optional<String> problem =
        reports.stream()
            .filter(r -> !r.spec().problem().isEmpty())
            .map(r -> "node %s: %s".formatted(r.spec().node(), r.spec().problem()))
            .sorted()
            .findFirst();
    if (problem.isPresent()) {
      return problem;
    }
    Optional<String> thawed =
        reports.stream()
            .flatMap(r -> r.spec().pods().stream())
            .filter(p -> p.state() == State.THAWED)
            .map(PodRestart::pod)
            .sorted()
            .findFirst();
    if (thawed.isPresent()) {
      return thawed.map("pod %s was thawed"::formatted);
    }
    return s.pods().stream()
        .map(PodView::node)
        .filter(n -> !n.isEmpty() && !RestartChoice.answers(s, n))
        .sorted()
        .findFirst()
        .map("node %s does not answer"::formatted)
        .or(() -> RestartChoice.outlived(s));
  }

  /**
   * A kubelet may have started a container again since the way was chosen. What the agent froze may
   * be such a one before the status of its pod says so.
   */
  static Optional<String> passesLimit(RecoverySnapshot s, JobView job, Generation generation) {
    return generation.order().spec().instruction() == RestartInstruction.FREEZE
        ? RestartChoice.reachesLimit(
            job,
            s.pods().stream()
                .flatMap(p -> generation.reported(p).stream().map(r -> atLeast(p, restarts(r))))
                .toList(),
            // One that is new may have crashed on its own since.
            s.pods().stream().filter(p -> generation.reported(p).isEmpty()).toList())
        : Optional.empty();
  }

  /**
   * What is dead before the gang is restarted, as its node was rebooted, say, the kubelet starts
   * once more; the agent freezes that one too, and kills it with the others.
   */
  private static int restarts(PodRestart reported) {
    boolean comes = reported.state() == State.KILLED;
    return comes && reported.restartCount() < Integer.MAX_VALUE
        ? reported.restartCount() + 1
        : reported.restartCount();
  }

  private static PodView atLeast(PodView pod, int restarts) {
    return pod.withRestarts(Math.max(pod.restarts(), restarts));
  }
}
