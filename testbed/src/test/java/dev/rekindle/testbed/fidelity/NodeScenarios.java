package dev.rekindle.testbed.fidelity;

import static dev.rekindle.testbed.fidelity.ScenarioSteps.A;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.B;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.FORCE;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.MASTER;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.MOMENT;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.WORKER;

import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.testbed.fidelity.JobWish.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** Nodes that hang, and pods that find none. */
final class NodeScenarios {
  private NodeScenarios() {}

  static void nodeHangsAndReturns(Play play) {
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
  static void kubeletHangs(Play play) {
    play.start(A, JobWish.single(3).at(Place.LONE));
    PodView removed = play.pod(A, MASTER);
    play.subject().cutOff();
    play.ready(Readiness.SILENT);
    play.await("its pod not ready", () -> !play.pod(A, MASTER).ready());
    // The taint follows the condition: a pod that is made between them is bound to this node.
    play.await("the node keeps pods off", () -> play.subject().keepsPodsOffTheLoneNode());
    play.pass(MOMENT);
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

  static void nodeHangsPastToleration(Play play) {
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

  static void deletedWhileFrozen(Play play) {
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

  static void nodeExcluded(Play play) {
    play.start(A, JobWish.single(2).at(Place.LONE));
    play.suspend(A);
    play.noPods(A);
    play.note("exclude", play.subject().template(A, "r1-1", true));
    play.resume(A);
    play.await("a new pod", () -> play.subject().pods(A).size() == 1);
    play.pass(MOMENT.multipliedBy(2));
    // A pod that no kubelet runs goes at once, whatever its grace period.
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

  static void noNodeMatches(Play play) {
    play.create(A, JobWish.pair(20).at(Place.NOWHERE));
    play.await("both pods", () -> play.subject().pods(A).size() == 2);
    play.pass(MOMENT.multipliedBy(2));
    play.suspend(A);
    play.noPods(A);
    play.suspended(A);
  }

  static void gpusRunOut(Play play) {
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

  static void attemptOnNewPods(Play play) {
    play.start(A, JobWish.pair(2));
    play.note("template", play.subject().template(A, "r1-1", false));
    play.pass(MOMENT);
    String former = play.pod(A, WORKER).uid();
    play.delete(A, WORKER);
    play.gone(A, former);
    play.up(A);
  }
}
