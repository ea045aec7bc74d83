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
  static void revive(Play play, Set<String> former) {
    play.suspend(A);
    play.pass(MOMENT.multipliedBy(2));
    play.note("pods of the failed job, suspended", play.subject().pods(A).size());
    play.revive(A);
    play.suspended(A);
    play.noPods(A);
    play.resume(A);
    play.upAnew(A, former);
    play.pass(MOMENT);
  }
}
