package dev.rekindle.testbed.fidelity;

import static dev.rekindle.controller.model.JobView.RestartPolicy.ALWAYS;
import static dev.rekindle.controller.model.JobView.RestartPolicy.EXIT_CODE;
import static dev.rekindle.controller.model.JobView.RestartPolicy.NEVER;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.A;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.MASTER;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.MOMENT;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.WORKER;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.revive;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import java.time.Duration;
import java.util.Set;

/** Processes that end. */
final class ExitScenarios {
  private static final int SIGKILL = 137;

  private ExitScenarios() {}

  static void killedUnderOnFailure(Play play) {
    play.start(A, JobWish.pair(3));
    String uid = play.pod(A, WORKER).uid();
    play.subject().exit(A, WORKER, SIGKILL);
    play.await("restarted", () -> play.pod(A, WORKER).restarts() == 1);
    play.up(A);
    play.subject().exit(A, WORKER, SIGKILL);
    play.await("seen to be down", () -> !play.pod(A, WORKER).ready());
    play.pass(Duration.ofSeconds(5));
    play.note("restarted again within 5 s", play.pod(A, WORKER).restarts() == 2);
    play.up(A);
    play.note("the same pod", play.pod(A, WORKER).uid().equals(uid));
  }

  static void killedUnderExitCode(Play play) {
    play.start(A, JobWish.pair(3).under(EXIT_CODE));
    String former = play.pod(A, WORKER).uid();
    play.subject().exit(A, WORKER, SIGKILL);
    play.gone(A, former);
    play.up(A);
  }

  static void exitCodeOne(Play play) {
    play.start(A, JobWish.pair(3).under(EXIT_CODE));
    Set<String> former = play.uids(A);
    play.subject().exit(A, WORKER, 1);
    play.failed(A);
    revive(play, former);
  }

  static void killedUnderNever(Play play) {
    play.start(A, JobWish.pair(3).under(NEVER));
    play.subject().exit(A, WORKER, SIGKILL);
    play.failed(A);
    play.pass(MOMENT);
    play.note("pods of the failed job", play.subject().pods(A).size());
  }

  static void exitCodeZeroUnderAlways(Play play) {
    play.start(A, JobWish.pair(3).under(ALWAYS));
    play.subject().exit(A, WORKER, 0);
    play.await("restarted", () -> play.pod(A, WORKER).restarts() == 1);
    play.up(A);
  }

  static void workerSucceeds(Play play) {
    play.start(A, JobWish.pair(3));
    play.subject().exit(A, WORKER, 0);
    play.await("Succeeded", () -> play.pod(A, WORKER).phase() == PodView.Phase.SUCCEEDED);
    play.pass(MOMENT.multipliedBy(2));
    play.note("the job goes on", play.job(A).finish() == JobView.Finish.NOT_FINISHED);
    play.suspend(A);
    play.noPods(A);
    play.suspended(A);
  }

  static void masterSucceeds(Play play) {
    play.start(A, JobWish.pair(3));
    play.subject().exit(A, MASTER, 0);
    play.await("finished", () -> play.job(A).finish() != JobView.Finish.NOT_FINISHED);
    play.suspend(A);
    play.pass(MOMENT.multipliedBy(2));
    play.note("pods of the job, suspended too late", play.subject().pods(A).size());
    play.delete(A, MASTER);
    play.pass(MOMENT);
  }
}
