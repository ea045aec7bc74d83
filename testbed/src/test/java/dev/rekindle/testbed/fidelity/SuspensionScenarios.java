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

  static void suspendAndResume(Play play) {
    play.start(A, JobWish.pair(4));
    play.suspend(A);
    play.suspended(A);
    List<PodView> left = play.podsWhen(A, JobView::suspensionSeen);
    play.note("pods left when Suspended", left.size());
    play.note("all of them being deleted", left.stream().allMatch(PodView::terminating));
    play.noPods(A);
    long version = play.subject().version(A);
    play.suspend(A);
    play.note("a write that changes nothing is none", version == play.subject().version(A));
    play.resume(A);
    play.up(A);
    play.pass(MOMENT);
  }

  static void suspendHeeding(Play play) {
    play.start(A, JobWish.pair(20));
    play.suspend(A);
    play.noPods(A);
    play.suspended(A);
  }

  static void neverSuspendAndResume(Play play) {
    play.start(A, JobWish.pair(3).under(NEVER));
    play.suspend(A);
    play.noPods(A);
    play.suspended(A);
    play.resume(A);
    play.up(A);
    play.pass(MOMENT);
  }

  static void neverSuspendAndDelete(Play play) {
    play.start(A, JobWish.pair(10).under(NEVER));
    play.suspend(A);
    play.suspended(A);
    play.pass(UNDER_WAY);
    // The operator's deletions were first: a shorter period comes too late for the kubelet.
    play.delete(A, MASTER, Duration.ofSeconds(1));
    play.noPods(A);
  }

  static void resumeTooEarly(Play play) {
    play.start(A, JobWish.pair(4));
    Set<String> former = play.uids(A);
    play.suspend(A);
    play.suspended(A);
    play.resume(A);
    play.upAnew(A, former);
    play.pass(MOMENT);
  }

  static void neverResumeTooEarly(Play play) {
    play.start(A, JobWish.pair(4).under(NEVER));
    play.suspend(A);
    play.suspended(A);
    play.resume(A);
    play.failed(A);
    play.noPods(A);
    play.pass(MOMENT);
    play.note("pods of the failed job", play.subject().pods(A).size());
  }
}
