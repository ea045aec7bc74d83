package dev.rekindle.testbed.fidelity;

import static dev.rekindle.controller.model.JobView.RestartPolicy.NEVER;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.A;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.MASTER;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.MOMENT;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.UNDER_WAY;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Jobs that are suspended and resumed. */
final class SuspensionScenarios {
  private SuspensionScenarios() {}

  static void suspendAndResume(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(4));
    run.suspend(A);
    run.suspended(A);
    List<PodView> left = run.podsWhen(A, JobView::suspensionSeen);
    run.note("pods left when Suspended", left.size());
    run.note("all of them being deleted", left.stream().allMatch(PodView::terminating));
    run.noPods(A);
    long version = run.subject().version(A);
    run.suspend(A);
    run.note("a write that changes nothing is none", version == run.subject().version(A));
    run.resume(A);
    run.up(A);
    run.pass(MOMENT);
  }

  static void suspendHeeding(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(20));
    run.suspend(A);
    run.noPods(A);
    run.suspended(A);
  }

  static void neverSuspendAndResume(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(3).under(NEVER));
    run.suspend(A);
    run.noPods(A);
    run.suspended(A);
    run.resume(A);
    run.up(A);
    run.pass(MOMENT);
  }

  static void neverSuspendAndDelete(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(10).under(NEVER));
    run.suspend(A);
    run.suspended(A);
    run.pass(UNDER_WAY);
    // The operator's deletions were first: a shorter period comes too late for the kubelet.
    run.delete(A, MASTER, Duration.ofSeconds(1));
    run.noPods(A);
  }

  static void resumeTooEarly(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(4));
    Set<String> former = run.uids(A);
    run.suspend(A);
    run.suspended(A);
    run.resume(A);
    run.upAnew(A, former);
    run.pass(MOMENT);
  }

  static void neverResumeTooEarly(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(4).under(NEVER));
    run.suspend(A);
    run.suspended(A);
    run.resume(A);
    run.failed(A);
    run.noPods(A);
    run.pass(MOMENT);
    run.note("pods of the failed job", run.subject().pods(A).size());
  }
}
