package dev.rekindle.testbed.fidelity;

import static dev.rekindle.controller.model.JobView.RestartPolicy.NEVER;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.A;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.B;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.FORCE;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.MASTER;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.MOMENT;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.UNDER_WAY;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.WORKER;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.revive;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** Pods and jobs that are deleted. */
final class DeletionScenarios {
  private DeletionScenarios() {}

  static void onePodDeleted(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(4));
    String former = run.pod(A, WORKER).uid();
    run.delete(A, WORKER);
    run.gone(A, former);
    run.up(A);
  }

  static void allPodsDeleted(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(3));
    Set<String> former = run.uids(A);
    run.delete(A, MASTER);
    run.delete(A, WORKER);
    run.upAnew(A, former);
  }

  static void neverDeleted(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(3).under(NEVER));
    Set<String> former = run.uids(A);
    String deleted = run.pod(A, WORKER).uid();
    run.delete(A, WORKER);
    run.failed(A);
    run.note(
        "pods when the job has failed",
        run.podsWhen(A, job -> job.finish() == JobView.Finish.FAILED).size());
    run.gone(A, deleted);
    revive(run, former);
  }

  static void secondDeletionShorter(ScenarioRun run) {
    // Long enough that a busy cluster is asked again before the shorter period is over, too.
    run.start(A, IdleJobSpec.single(17));
    secondDeletion(run, Optional.empty(), Duration.ofSeconds(15));
  }

  static void secondDeletionLonger(ScenarioRun run) {
    run.start(A, IdleJobSpec.single(7));
    secondDeletion(run, Optional.of(Duration.ofSeconds(3)), Duration.ofSeconds(20));
  }

  private static void secondDeletion(ScenarioRun run, Optional<Duration> first, Duration second) {
    String former = run.pod(A, MASTER).uid();
    run.tryDelete("first", A, MASTER, former, first.orElse(null));
    run.await("being deleted", () -> run.pod(A, MASTER).terminating());
    PodView before = run.pod(A, MASTER);
    run.pass(UNDER_WAY);
    run.tryDelete("second", A, MASTER, former, second);
    if (first.isEmpty()) {
      // A shorter one changes the pod; the watch that shows it may be late.
      run.await("its deadline moved", () -> !deadline(run.pod(A, MASTER)).equals(deadline(before)));
    } else {
      run.pass(MOMENT.dividedBy(5));
    }
    PodView after = run.pod(A, MASTER);
    run.note("deadline moved by", Duration.between(deadline(before), deadline(after)));
    run.gone(A, former);
    run.up(A);
  }

  private static Instant deadline(PodView pod) {
    return Optional.ofNullable(pod.deletionDeadline()).orElseThrow();
  }

  static void secondDeletionForced(ScenarioRun run) {
    run.start(A, IdleJobSpec.single(11));
    PodView former = run.pod(A, MASTER);
    run.delete(A, MASTER);
    run.pass(UNDER_WAY);
    run.delete(A, MASTER, FORCE);
    run.gone(A, former.uid());
    run.pass(MOMENT);
    run.note("its process still runs", run.subject().processOf(former));
    run.pass(MOMENT.multipliedBy(4));
    run.note("and as long as it was given first", run.subject().processOf(former));
    run.await("its process ended", () -> !run.subject().processOf(former));
    run.up(A);
  }

  static void graceOfOneSecond(ScenarioRun run) {
    run.start(A, IdleJobSpec.single(20));
    String former = run.pod(A, MASTER).uid();
    run.delete(A, MASTER, Duration.ofSeconds(1));
    run.gone(A, former);
    run.up(A);
  }

  static void forcedOnAHealthyNode(ScenarioRun run) {
    run.start(A, IdleJobSpec.single(20));
    PodView former = run.pod(A, MASTER);
    run.delete(A, MASTER, FORCE);
    run.gone(A, former.uid());
    run.pass(MOMENT);
    run.note("its process still runs", run.subject().processOf(former));
    run.await("its process ended", () -> !run.subject().processOf(former));
    run.up(A);
  }

  static void preconditions(ScenarioRun run) {
    run.start(A, IdleJobSpec.single(5));
    run.pass(MOMENT);
    PodView pod = run.pod(A, MASTER);
    run.tryDelete("delete with a wrong UID", A, MASTER, "wrong", null);
    run.tryDelete("delete with a wrong UID by force", A, MASTER, "wrong", FORCE);
    run.tryDelete("delete of no pod", A, "worker-7", "", FORCE);
    run.tryDelete("delete of no pod with a UID", A, "worker-7", pod.uid(), FORCE);
    long version = run.subject().version(A);
    run.note("patch with the version", run.subject().annotate(A, version, "1"));
    run.note("patch with a stale version", run.subject().annotate(A, version, "2"));
    run.note("create what exists", run.subject().create(A, IdleJobSpec.single(5)));
    run.note("delete no job", run.subject().delete(B));
    run.pass(MOMENT);
    run.note("the pod is untouched", run.pod(A, MASTER).equals(pod));
  }

  static void jobDeleted(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(4));
    run.note("delete the job", run.subject().delete(A));
    run.await("the job is gone", () -> run.subject().job(A).isEmpty());
    run.note("pods when the job is gone", run.podsWhenGone(A).size());
    run.noPods(A);
    run.pass(MOMENT);
  }

  static void finalizer(ScenarioRun run) {
    run.start(A, IdleJobSpec.single(2));
    run.note("hold", run.subject().hold(A, MASTER, true));
    String former = run.pod(A, MASTER).uid();
    run.delete(A, MASTER);
    run.await(
        "its grace period confirmed over",
        () -> Long.valueOf(0).equals(run.pod(A, MASTER).deletionGraceSeconds()));
    run.pass(MOMENT.multipliedBy(2));
    run.tryDelete("by force", A, MASTER, former, FORCE);
    run.pass(MOMENT);
    run.note("still there", run.pod(A, MASTER).uid().equals(former));
    run.note("let go", run.subject().hold(A, MASTER, false));
    run.gone(A, former);
    run.up(A);
  }
}
