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

  static void killedUnderOnFailure(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(3));
    String uid = run.pod(A, WORKER).uid();
    run.subject().exit(A, WORKER, SIGKILL);
    run.await("restarted", () -> run.pod(A, WORKER).restarts() == 1);
    run.up(A);
    run.subject().exit(A, WORKER, SIGKILL);
    run.await("seen to be down", () -> !run.pod(A, WORKER).ready());
    run.pass(Duration.ofSeconds(5));
    run.note("restarted again within 5 s", run.pod(A, WORKER).restarts() == 2);
    run.up(A);
    run.note("the same pod", run.pod(A, WORKER).uid().equals(uid));
  }

  static void killedUnderExitCode(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(3).under(EXIT_CODE));
    String former = run.pod(A, WORKER).uid();
    run.subject().exit(A, WORKER, SIGKILL);
    run.gone(A, former);
    run.up(A);
  }

  static void exitCodeOne(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(3).under(EXIT_CODE));
    Set<String> former = run.uids(A);
    run.subject().exit(A, WORKER, 1);
    run.failed(A);
    revive(run, former);
  }

  static void killedUnderNever(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(3).under(NEVER));
    run.subject().exit(A, WORKER, SIGKILL);
    run.failed(A);
    run.pass(MOMENT);
    run.note("pods of the failed job", run.subject().pods(A).size());
  }

  static void exitCodeZeroUnderAlways(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(3).under(ALWAYS));
    run.subject().exit(A, WORKER, 0);
    run.await("restarted", () -> run.pod(A, WORKER).restarts() == 1);
    run.up(A);
  }

  static void workerSucceeds(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(3));
    run.subject().exit(A, WORKER, 0);
    run.await("Succeeded", () -> run.pod(A, WORKER).phase() == PodView.Phase.SUCCEEDED);
    run.pass(MOMENT.multipliedBy(2));
    run.note("the job goes on", run.job(A).finish() == JobView.Finish.NOT_FINISHED);
    run.suspend(A);
    run.noPods(A);
    run.suspended(A);
  }

  static void masterSucceeds(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(3));
    run.subject().exit(A, MASTER, 0);
    run.await("finished", () -> run.job(A).finish() != JobView.Finish.NOT_FINISHED);
    run.suspend(A);
    run.pass(MOMENT.multipliedBy(2));
    run.note("pods of the job, suspended too late", run.subject().pods(A).size());
    run.delete(A, MASTER);
    run.pass(MOMENT);
  }
}
