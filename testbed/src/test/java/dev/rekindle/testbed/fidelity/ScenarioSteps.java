package dev.rekindle.testbed.fidelity;

import java.time.Duration;
import java.util.Set;

/** What scenarios of several kinds use. */
final class ScenarioSteps {
  static final Duration MOMENT = Duration.ofSeconds(1);

  /** A busy kubelet begins to end a pod up to a second or two after its deletion. */
  static final Duration UNDER_WAY = Duration.ofSeconds(3);

  static final Duration FORCE = Duration.ZERO;
  static final String A = "a";
  static final String B = "b";
  static final String MASTER = "master-0";
  static final String WORKER = "worker-0";

  private ScenarioSteps() {}

  /** A failed job ignores its suspension until its end is taken off its status. */
  static void revive(ScenarioRun run, Set<String> former) {
    run.suspend(A);
    run.pass(MOMENT.multipliedBy(2));
    run.note("pods of the failed job, suspended", run.subject().pods(A).size());
    run.revive(A);
    run.suspended(A);
    run.noPods(A);
    run.resume(A);
    run.upAnew(A, former);
    run.pass(MOMENT);
  }
}
