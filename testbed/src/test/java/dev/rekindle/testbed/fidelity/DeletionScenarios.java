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
import java.util.Optional;
import java.util.Set;

/** Pods and jobs that are deleted. */
final class DeletionScenarios {
  private DeletionScenarios() {}

  static void onePodDeleted(Play play) {
    play.start(A, JobWish.pair(4));
    String former = play.pod(A, WORKER).uid();
    play.delete(A, WORKER);
    play.gone(A, former);
    play.up(A);
  }

  static void allPodsDeleted(Play play) {
    play.start(A, JobWish.pair(3));
    Set<String> former = play.uids(A);
    play.delete(A, MASTER);
    play.delete(A, WORKER);
    play.upAnew(A, former);
  }

  static void neverDeleted(Play play) {
    play.start(A, JobWish.pair(3).under(NEVER));
    Set<String> former = play.uids(A);
    String deleted = play.pod(A, WORKER).uid();
    play.delete(A, WORKER);
    play.failed(A);
    play.note(
        "pods when the job has failed",
        play.podsWhen(A, job -> job.finish() == JobView.Finish.FAILED).size());
    play.gone(A, deleted);
    revive(play, former);
  }

  static void secondDeletionShorter(Play play) {
    play.start(A, JobWish.single(7));
    secondDeletion(play, Optional.empty(), Duration.ofSeconds(5));
  }

  static void secondDeletionLonger(Play play) {
    play.start(A, JobWish.single(7));
    secondDeletion(play, Optional.of(Duration.ofSeconds(3)), Duration.ofSeconds(20));
  }

  private static void secondDeletion(Play play, Optional<Duration> first, Duration second) {
    String former = play.pod(A, MASTER).uid();
    play.tryDelete("first", A, MASTER, former, first.orElse(null));
    play.await("being deleted", () -> play.pod(A, MASTER).terminating());
    PodView before = play.pod(A, MASTER);
    play.pass(UNDER_WAY);
    play.tryDelete("second", A, MASTER, former, second);
    play.pass(MOMENT.dividedBy(5));
    PodView after = play.pod(A, MASTER);
    play.note(
        "deadline moved by",
        Duration.between(
            Optional.ofNullable(before.deletionDeadline()).orElseThrow(),
            Optional.ofNullable(after.deletionDeadline()).orElseThrow()));
    play.gone(A, former);
    play.up(A);
  }

  static void secondDeletionForced(Play play) {
    play.start(A, JobWish.single(11));
    PodView former = play.pod(A, MASTER);
    play.delete(A, MASTER);
    play.pass(UNDER_WAY);
    play.delete(A, MASTER, FORCE);
    play.gone(A, former.uid());
    play.pass(MOMENT);
    play.note("its process still runs", play.subject().processOf(former));
    play.pass(MOMENT.multipliedBy(4));
    play.note("and as long as it was given first", play.subject().processOf(former));
    play.await("its process ended", () -> !play.subject().processOf(former));
    play.up(A);
  }

  static void graceOfOneSecond(Play play) {
    play.start(A, JobWish.single(20));
    String former = play.pod(A, MASTER).uid();
    play.delete(A, MASTER, Duration.ofSeconds(1));
    play.gone(A, former);
    play.up(A);
  }

  static void forcedOnAHealthyNode(Play play) {
    play.start(A, JobWish.single(20));
    PodView former = play.pod(A, MASTER);
    play.delete(A, MASTER, FORCE);
    play.gone(A, former.uid());
    play.pass(MOMENT);
    play.note("its process still runs", play.subject().processOf(former));
    play.await("its process ended", () -> !play.subject().processOf(former));
    play.up(A);
  }

  static void preconditions(Play play) {
    play.start(A, JobWish.single(5));
    play.pass(MOMENT);
    PodView pod = play.pod(A, MASTER);
    play.tryDelete("delete with a wrong UID", A, MASTER, "wrong", null);
    play.tryDelete("delete with a wrong UID by force", A, MASTER, "wrong", FORCE);
    play.tryDelete("delete of no pod", A, "worker-7", "", FORCE);
    play.tryDelete("delete of no pod with a UID", A, "worker-7", pod.uid(), FORCE);
    long version = play.subject().version(A);
    play.note("patch with the version", play.subject().annotate(A, version, "1"));
    play.note("patch with a stale version", play.subject().annotate(A, version, "2"));
    play.note("create what exists", play.subject().create(A, JobWish.single(5)));
    play.note("delete no job", play.subject().delete(B));
    play.pass(MOMENT);
    play.note("the pod is untouched", play.pod(A, MASTER).equals(pod));
  }

  static void jobDeleted(Play play) {
    play.start(A, JobWish.pair(4));
    play.note("delete the job", play.subject().delete(A));
    play.await("the job is gone", () -> play.subject().job(A).isEmpty());
    play.note("pods when the job is gone", play.podsWhenGone(A).size());
    play.noPods(A);
    play.pass(MOMENT);
  }

  static void finalizer(Play play) {
    play.start(A, JobWish.single(2));
    play.note("hold", play.subject().hold(A, MASTER, true));
    String former = play.pod(A, MASTER).uid();
    play.delete(A, MASTER);
    play.await(
        "its grace period confirmed over",
        () -> Long.valueOf(0).equals(play.pod(A, MASTER).deletionGraceSeconds()));
    play.pass(MOMENT.multipliedBy(2));
    play.tryDelete("by force", A, MASTER, former, FORCE);
    play.pass(MOMENT);
    play.note("still there", play.pod(A, MASTER).uid().equals(former));
    play.note("let go", play.subject().hold(A, MASTER, false));
    play.gone(A, former);
    play.up(A);
  }
}
