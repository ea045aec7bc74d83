package dev.rekindle.testbed.fidelity;

import static dev.rekindle.testbed.fidelity.ScenarioSteps.A;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.B;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.FORCE;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.MASTER;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.MOMENT;
import static dev.rekindle.testbed.fidelity.ScenarioSteps.WORKER;

import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.testbed.fidelity.IdleJobSpec.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** Nodes that hang, and pods that find none. */
final class NodeScenarios {
  private NodeScenarios() {}

  static void nodeHangsAndReturns(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(3).at(Place.LONE));
    PodView removed = run.pod(A, WORKER);
    PodView kept = run.pod(A, MASTER);
    run.subject().freeze();
    Instant hung = run.subject().now();
    run.ready(Readiness.SILENT);
    Duration until = Duration.between(hung, run.subject().now());
    // The testbed's node grace period is 20 s, counted from the last sign of life.
    run.note("Unknown in time", until.toSeconds() >= 10 && until.toSeconds() <= 60);
    run.await("its pods not ready", () -> run.subject().pods(A).stream().noneMatch(PodView::ready));
    run.note("pods found by their node", run.subject().podsOnTheLoneNode().size());
    run.delete(A, WORKER);
    run.pass(Duration.ofSeconds(6));
    run.note("still there", run.uids(A).contains(removed.uid()));
    run.delete(A, WORKER, FORCE);
    run.gone(A, removed.uid());
    run.note("its process is not gone", run.subject().processOf(removed));
    run.pass(MOMENT.multipliedBy(2));
    // Longer than a kubelet's runtime may be silent before it calls its own node NotReady.
    run.pass(MOMENT.multipliedBy(6));
    run.note(
        "its successor",
        run.find(A, WORKER).map(p -> p.node().isEmpty() ? "waits" : "is bound").orElse("none"));
    run.subject().thaw();
    run.await("its process ended", () -> !run.subject().processOf(removed));
    run.ready(Readiness.READY);
    run.up(A);
    run.note("the other pod lived on", run.pod(A, MASTER).uid().equals(kept.uid()));
  }

  /** As a node that is cut off: its processes run on. */
  static void kubeletHangs(ScenarioRun run) {
    run.start(A, IdleJobSpec.single(3).at(Place.LONE));
    PodView removed = run.pod(A, MASTER);
    run.subject().cutOff();
    run.ready(Readiness.SILENT);
    run.await("its pod not ready", () -> !run.pod(A, MASTER).ready());
    // The taint follows the condition: a pod that is made between them is bound to this node.
    run.await("the node keeps pods off", () -> run.subject().keepsPodsOffTheLoneNode());
    run.pass(MOMENT);
    run.delete(A, MASTER, FORCE);
    run.gone(A, removed.uid());
    // An operator with much to do makes it late: after the node is back nothing keeps it off.
    run.await(
        "its successor refused",
        () ->
            run.find(A, MASTER)
                .map(PodView::failure)
                .filter(failure -> failure.kind().equals("Unschedulable"))
                .isPresent());
    run.pass(MOMENT.multipliedBy(5));
    run.note("its process runs on", run.subject().processOf(removed));
    run.subject().thaw();
    run.await("its process ended", () -> !run.subject().processOf(removed));
    run.ready(Readiness.READY);
    run.up(A);
  }

  static void nodeHangsPastToleration(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(8).at(Place.LONE));
    Set<String> former = run.uids(A);
    run.subject().freeze();
    run.ready(Readiness.SILENT);
    run.await("evicted", () -> run.subject().pods(A).stream().allMatch(PodView::terminating));
    run.pass(MOMENT.multipliedBy(6));
    run.note("pods left", run.subject().pods(A).size());
    run.subject().thaw();
    run.upAnew(A, former);
  }

  static void deletedWhileFrozen(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(4).at(Place.LONE));
    PodView forced = run.pod(A, MASTER);
    PodView deleted = run.pod(A, WORKER);
    run.subject().freeze();
    run.delete(A, MASTER, FORCE);
    run.delete(A, WORKER);
    run.pass(Duration.ofSeconds(6));
    run.note("deleted pod still there", run.uids(A).contains(deleted.uid()));
    run.note(
        "processes", List.of(run.subject().processOf(forced), run.subject().processOf(deleted)));
    run.note("successor bound to the hanging node", !run.pod(A, MASTER).node().isEmpty());
    run.subject().thaw();
    run.pass(MOMENT);
    run.note("deleted pod there after a second", run.uids(A).contains(deleted.uid()));
    run.await("forced one's process ended", () -> !run.subject().processOf(forced));
    run.gone(A, deleted.uid());
    run.note("process of the deleted one", run.subject().processOf(deleted));
    run.up(A);
  }

  static void nodeExcluded(ScenarioRun run) {
    run.start(A, IdleJobSpec.single(2).at(Place.LONE));
    run.suspend(A);
    run.noPods(A);
    run.note("exclude", run.subject().template(A, "r1-1", true));
    run.resume(A);
    run.await("a new pod", () -> run.subject().pods(A).size() == 1);
    run.pass(MOMENT.multipliedBy(2));
    // A pod that no kubelet runs goes at once, whatever its grace period.
    run.delete(A, MASTER);
    run.pass(MOMENT);
    run.suspend(A);
    run.noPods(A);
    run.suspended(A);
    run.note("admit", run.subject().template(A, "r1-2", false));
    run.resume(A);
    run.up(A);
    run.pass(MOMENT);
  }

  static void noNodeMatches(ScenarioRun run) {
    run.create(A, IdleJobSpec.pair(20).at(Place.NOWHERE));
    run.await("both pods", () -> run.subject().pods(A).size() == 2);
    run.pass(MOMENT.multipliedBy(2));
    run.suspend(A);
    run.noPods(A);
    run.suspended(A);
  }

  static void gpusRunOut(ScenarioRun run) {
    run.start(A, IdleJobSpec.single(3).gpus(1).at(Place.LONE));
    run.create(B, IdleJobSpec.single(3).gpus(1).at(Place.LONE));
    run.await("a pod of the second job", () -> run.subject().pods(B).size() == 1);
    run.pass(MOMENT.multipliedBy(2));
    run.note("it waits", run.pod(B, MASTER).node().isEmpty());
    run.suspend(A);
    run.await("it is bound", () -> !run.pod(B, MASTER).node().isEmpty());
    run.note("pods of the first job then", run.subject().pods(A).size());
    run.up(B);
    run.noPods(A);
  }

  static void attemptOnNewPods(ScenarioRun run) {
    run.start(A, IdleJobSpec.pair(2));
    run.note("template", run.subject().template(A, "r1-1", false));
    run.pass(MOMENT);
    String former = run.pod(A, WORKER).uid();
    run.delete(A, WORKER);
    run.gone(A, former);
    run.up(A);
  }
}
