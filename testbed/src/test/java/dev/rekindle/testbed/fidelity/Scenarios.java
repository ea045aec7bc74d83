package dev.rekindle.testbed.fidelity;

import static dev.rekindle.controller.model.JobView.RestartPolicy.ALWAYS;
import static dev.rekindle.controller.model.JobView.RestartPolicy.EXIT_CODE;
import static dev.rekindle.controller.model.JobView.RestartPolicy.NEVER;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.testbed.fidelity.JobWish.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** All scenarios. Their pods ignore SIGTERM unless a scenario says otherwise. */
final class Scenarios {
  private static final Duration MOMENT = Duration.ofSeconds(1);

  /** A busy kubelet begins to end a pod up to a second or two after its deletion. */
  private static final Duration UNDER_WAY = Duration.ofSeconds(3);

  private static final Duration FORCE = Duration.ZERO;
  private static final int SIGKILL = 137;
  private static final String A = "a";
  private static final String B = "b";
  private static final String MASTER = "master-0";
  private static final String WORKER = "worker-0";

  private Scenarios() {}

  /** Those that take longest first. */
  static List<Scenario> all() {
    return List.of(
        Scenario.of("node-hangs-and-returns", Scenarios::nodeHangsAndReturns).onALoneNode(),
        Scenario.of("kubelet-hangs-and-returns", Scenarios::kubeletHangs).onALoneNode(),
        Scenario.of("node-hangs-past-toleration", Scenarios::nodeHangsPastToleration)
            .onALoneNode()
            .tolerating(Duration.ofSeconds(6)),
        Scenario.of("pod-deleted-while-node-hangs", Scenarios::deletedWhileFrozen).onALoneNode(),
        Scenario.of("gpus-run-out", Scenarios::gpusRunOut).onALoneNode(1),
        Scenario.of("node-excluded", Scenarios::nodeExcluded).onALoneNode(),
        Scenario.of("killed-under-on-failure", Scenarios::killedUnderOnFailure),
        Scenario.of("suspend-and-resume", Scenarios::suspendAndResume),
        Scenario.of("never-deleted-fails-and-is-revived", Scenarios::neverDeleted),
        Scenario.of("exit-code-1-fails-and-is-revived", Scenarios::exitCodeOne),
        Scenario.of("never-suspend-and-resume", Scenarios::neverSuspendAndResume),
        Scenario.of("one-pod-deleted", Scenarios::onePodDeleted),
        Scenario.of("all-pods-deleted", Scenarios::allPodsDeleted),
        Scenario.of("resume-too-early", Scenarios::resumeTooEarly),
        Scenario.of("never-resume-too-early", Scenarios::neverResumeTooEarly),
        Scenario.of("second-deletion-shorter", Scenarios::secondDeletionShorter),
        Scenario.of("second-deletion-longer", Scenarios::secondDeletionLonger),
        Scenario.of("second-deletion-forced", Scenarios::secondDeletionForced),
        Scenario.of("grace-of-one-second", Scenarios::graceOfOneSecond),
        Scenario.of("forced-on-a-healthy-node", Scenarios::forcedOnAHealthyNode),
        Scenario.of("preconditions", Scenarios::preconditions),
        Scenario.of("killed-under-exit-code", Scenarios::killedUnderExitCode),
        Scenario.of("killed-under-never", Scenarios::killedUnderNever),
        Scenario.of("exit-code-0-under-always", Scenarios::exitCodeZeroUnderAlways),
        Scenario.of("exit-code-0-of-a-worker", Scenarios::workerSucceeds),
        Scenario.of("never-suspend-and-capped-deletions", Scenarios::neverSuspendAndDelete),
        Scenario.of("job-deleted", Scenarios::jobDeleted),
        Scenario.of("no-node-matches", Scenarios::noNodeMatches),
        Scenario.of("finalizer-holds-a-pod", Scenarios::finalizer),
        Scenario.of("attempt-on-new-pods-only", Scenarios::attemptOnNewPods),
        Scenario.of("master-succeeds", Scenarios::masterSucceeds),
        Scenario.of("suspend-processes-that-heed", Scenarios::suspendHeeding).heeding());
  }

  // --- suspension -----------------------------------------------------------------------------

  private static void suspendAndResume(Play play) {
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

  private static void suspendHeeding(Play play) {
    play.start(A, JobWish.pair(20));
    play.suspend(A);
    play.noPods(A);
    play.suspended(A);
  }

  private static void neverSuspendAndResume(Play play) {
    play.start(A, JobWish.pair(3).under(NEVER));
    play.suspend(A);
    play.noPods(A);
    play.suspended(A);
    play.resume(A);
    play.up(A);
    play.pass(MOMENT);
  }

  private static void neverSuspendAndDelete(Play play) {
    play.start(A, JobWish.pair(10).under(NEVER));
    play.suspend(A);
    play.suspended(A);
    play.pass(UNDER_WAY);
    // The operator's deletions were first: a shorter period comes too late for the kubelet.
    play.delete(A, MASTER, Duration.ofSeconds(1));
    play.noPods(A);
  }

  private static void resumeTooEarly(Play play) {
    play.start(A, JobWish.pair(4));
    Set<String> former = play.uids(A);
    play.suspend(A);
    play.suspended(A);
    play.resume(A);
    play.upAnew(A, former);
    play.pass(MOMENT);
  }

  private static void neverResumeTooEarly(Play play) {
    play.start(A, JobWish.pair(4).under(NEVER));
    play.suspend(A);
    play.suspended(A);
    play.resume(A);
    play.failed(A);
    play.noPods(A);
    play.pass(MOMENT);
    play.note("pods of the failed job", play.subject().pods(A).size());
  }

  // --- deletion -------------------------------------------------------------------------------

  private static void onePodDeleted(Play play) {
    play.start(A, JobWish.pair(4));
    String former = play.pod(A, WORKER).uid();
    play.delete(A, WORKER);
    play.gone(A, former);
    play.up(A);
  }

  private static void allPodsDeleted(Play play) {
    play.start(A, JobWish.pair(3));
    Set<String> former = play.uids(A);
    play.delete(A, MASTER);
    play.delete(A, WORKER);
    play.upAnew(A, former);
  }

  private static void neverDeleted(Play play) {
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

  /** A failed job ignores its suspension until its end is taken off its status. */
  private static void revive(Play play, Set<String> former) {
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

  private static void secondDeletionShorter(Play play) {
    play.start(A, JobWish.single(7));
    secondDeletion(play, Optional.empty(), Duration.ofSeconds(5));
  }

  private static void secondDeletionLonger(Play play) {
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

  private static void secondDeletionForced(Play play) {
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

  private static void graceOfOneSecond(Play play) {
    play.start(A, JobWish.single(20));
    String former = play.pod(A, MASTER).uid();
    play.delete(A, MASTER, Duration.ofSeconds(1));
    play.gone(A, former);
    play.up(A);
  }

  private static void forcedOnAHealthyNode(Play play) {
    play.start(A, JobWish.single(20));
    PodView former = play.pod(A, MASTER);
    play.delete(A, MASTER, FORCE);
    play.gone(A, former.uid());
    play.pass(MOMENT);
    play.note("its process still runs", play.subject().processOf(former));
    play.await("its process ended", () -> !play.subject().processOf(former));
    play.up(A);
  }

  private static void preconditions(Play play) {
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

  private static void jobDeleted(Play play) {
    play.start(A, JobWish.pair(4));
    play.note("delete the job", play.subject().delete(A));
    play.await("the job is gone", () -> play.subject().job(A).isEmpty());
    play.note("pods when the job is gone", play.podsWhenGone(A).size());
    play.noPods(A);
    play.pass(MOMENT);
  }

  private static void finalizer(Play play) {
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

  // --- processes that end ---------------------------------------------------------------------

  private static void killedUnderOnFailure(Play play) {
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

  private static void killedUnderExitCode(Play play) {
    play.start(A, JobWish.pair(3).under(EXIT_CODE));
    String former = play.pod(A, WORKER).uid();
    play.subject().exit(A, WORKER, SIGKILL);
    play.gone(A, former);
    play.up(A);
  }

  private static void exitCodeOne(Play play) {
    play.start(A, JobWish.pair(3).under(EXIT_CODE));
    Set<String> former = play.uids(A);
    play.subject().exit(A, WORKER, 1);
    play.failed(A);
    revive(play, former);
  }

  private static void killedUnderNever(Play play) {
    play.start(A, JobWish.pair(3).under(NEVER));
    play.subject().exit(A, WORKER, SIGKILL);
    play.failed(A);
    play.pass(MOMENT);
    play.note("pods of the failed job", play.subject().pods(A).size());
  }

  private static void exitCodeZeroUnderAlways(Play play) {
    play.start(A, JobWish.pair(3).under(ALWAYS));
    play.subject().exit(A, WORKER, 0);
    play.await("restarted", () -> play.pod(A, WORKER).restarts() == 1);
    play.up(A);
  }

  private static void workerSucceeds(Play play) {
    play.start(A, JobWish.pair(3));
    play.subject().exit(A, WORKER, 0);
    play.await("Succeeded", () -> play.pod(A, WORKER).phase() == PodView.Phase.SUCCEEDED);
    play.pass(MOMENT.multipliedBy(2));
    play.note("the job goes on", play.job(A).finish() == JobView.Finish.NOT_FINISHED);
    play.suspend(A);
    play.noPods(A);
    play.suspended(A);
  }

  private static void masterSucceeds(Play play) {
    play.start(A, JobWish.pair(3));
    play.subject().exit(A, MASTER, 0);
    play.await("finished", () -> play.job(A).finish() != JobView.Finish.NOT_FINISHED);
    play.suspend(A);
    play.pass(MOMENT.multipliedBy(2));
    play.note("pods of the job, suspended too late", play.subject().pods(A).size());
    play.delete(A, MASTER);
    play.pass(MOMENT);
  }

  // --- nodes ----------------------------------------------------------------------------------

  private static void nodeHangsAndReturns(Play play) {
    play.start(A, JobWish.pair(3).at(Place.LONE));
    PodView removed = play.pod(A, WORKER);
    PodView kept = play.pod(A, MASTER);
    play.subject().freeze();
    Instant hung = play.subject().now();
    play.ready(Readiness.SILENT);
    Duration until = Duration.between(hung, play.subject().now());
    // The testbed's node grace period is 20 s, counted from the last sign of life.
    play.note("Unknown in time", until.toSeconds() >= 10 && until.toSeconds() <= 30);
    play.await(
        "its pods not ready", () -> play.subject().pods(A).stream().noneMatch(PodView::ready));
    play.note("pods found by their node", play.subject().podsOnTheLoneNode().size());
    play.delete(A, WORKER);
    play.pass(Duration.ofSeconds(6));
    play.note("still there", play.uids(A).contains(removed.uid()));
    play.delete(A, WORKER, FORCE);
    play.gone(A, removed.uid());
    play.note("its process is not gone", play.subject().processOf(removed));
    play.pass(MOMENT.multipliedBy(2));
    // Longer than a kubelet's runtime may be silent before it calls its own node NotReady.
    play.pass(MOMENT.multipliedBy(6));
    play.note(
        "its successor",
        play.find(A, WORKER).map(p -> p.node().isEmpty() ? "waits" : "is bound").orElse("none"));
    play.subject().thaw();
    play.await("its process ended", () -> !play.subject().processOf(removed));
    play.ready(Readiness.READY);
    play.up(A);
    play.note("the other pod lived on", play.pod(A, MASTER).uid().equals(kept.uid()));
  }

  /** As a node that is cut off: its processes run on. */
  private static void kubeletHangs(Play play) {
    play.start(A, JobWish.single(3).at(Place.LONE));
    PodView removed = play.pod(A, MASTER);
    play.subject().cutOff();
    play.ready(Readiness.SILENT);
    play.await("its pod not ready", () -> !play.pod(A, MASTER).ready());
    play.delete(A, MASTER, FORCE);
    play.gone(A, removed.uid());
    // An operator with much to do makes it late: after the node is back nothing keeps it off.
    play.await(
        "its successor refused",
        () ->
            play.find(A, MASTER)
                .map(PodView::failure)
                .filter(failure -> failure.kind().equals("Unschedulable"))
                .isPresent());
    play.pass(MOMENT.multipliedBy(5));
    play.note("its process runs on", play.subject().processOf(removed));
    play.subject().thaw();
    play.await("its process ended", () -> !play.subject().processOf(removed));
    play.ready(Readiness.READY);
    play.up(A);
  }

  private static void nodeHangsPastToleration(Play play) {
    play.start(A, JobWish.pair(8).at(Place.LONE));
    Set<String> former = play.uids(A);
    play.subject().freeze();
    play.ready(Readiness.SILENT);
    play.await("evicted", () -> play.subject().pods(A).stream().allMatch(PodView::terminating));
    play.pass(MOMENT.multipliedBy(6));
    play.note("pods left", play.subject().pods(A).size());
    play.subject().thaw();
    play.upAnew(A, former);
  }

  private static void deletedWhileFrozen(Play play) {
    play.start(A, JobWish.pair(4).at(Place.LONE));
    PodView forced = play.pod(A, MASTER);
    PodView deleted = play.pod(A, WORKER);
    play.subject().freeze();
    play.delete(A, MASTER, FORCE);
    play.delete(A, WORKER);
    play.pass(Duration.ofSeconds(6));
    play.note("deleted pod still there", play.uids(A).contains(deleted.uid()));
    play.note(
        "processes", List.of(play.subject().processOf(forced), play.subject().processOf(deleted)));
    play.note("successor bound to the hanging node", !play.pod(A, MASTER).node().isEmpty());
    play.subject().thaw();
    play.pass(MOMENT);
    play.note("deleted pod there after a second", play.uids(A).contains(deleted.uid()));
    play.await("forced one's process ended", () -> !play.subject().processOf(forced));
    play.gone(A, deleted.uid());
    play.note("process of the deleted one", play.subject().processOf(deleted));
    play.up(A);
  }

  private static void nodeExcluded(Play play) {
    play.start(A, JobWish.single(2).at(Place.LONE));
    play.suspend(A);
    play.noPods(A);
    play.note("exclude", play.subject().template(A, "r1-1", true));
    play.resume(A);
    play.await("a new pod", () -> play.subject().pods(A).size() == 1);
    play.pass(MOMENT.multipliedBy(2));
    // A pod that nobody runs goes at once, whatever its grace period.
    play.delete(A, MASTER);
    play.pass(MOMENT);
    play.suspend(A);
    play.noPods(A);
    play.suspended(A);
    play.note("admit", play.subject().template(A, "r1-2", false));
    play.resume(A);
    play.up(A);
    play.pass(MOMENT);
  }

  private static void noNodeMatches(Play play) {
    play.create(A, JobWish.pair(20).at(Place.NOWHERE));
    play.await("both pods", () -> play.subject().pods(A).size() == 2);
    play.pass(MOMENT.multipliedBy(2));
    play.suspend(A);
    play.noPods(A);
    play.suspended(A);
  }

  private static void gpusRunOut(Play play) {
    play.start(A, JobWish.single(3).gpus(1).at(Place.LONE));
    play.create(B, JobWish.single(3).gpus(1).at(Place.LONE));
    play.await("a pod of the second job", () -> play.subject().pods(B).size() == 1);
    play.pass(MOMENT.multipliedBy(2));
    play.note("it waits", play.pod(B, MASTER).node().isEmpty());
    play.suspend(A);
    play.await("it is bound", () -> !play.pod(B, MASTER).node().isEmpty());
    play.note("pods of the first job then", play.subject().pods(A).size());
    play.up(B);
    play.noPods(A);
  }

  private static void attemptOnNewPods(Play play) {
    play.start(A, JobWish.pair(2));
    play.note("template", play.subject().template(A, "r1-1", false));
    play.pass(MOMENT);
    String former = play.pod(A, WORKER).uid();
    play.delete(A, WORKER);
    play.gone(A, former);
    play.up(A);
  }
}
