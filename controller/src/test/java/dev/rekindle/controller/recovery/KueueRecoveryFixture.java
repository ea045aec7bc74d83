package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.QueueView;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.WorkloadView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A job that Kueue admits, and what a recovery does with it. */
abstract class KueueRecoveryFixture {
  static final WorkloadView RUNS = Given.workload();

  static final WorkloadView STOPPED =
      RUNS.with(b -> b.active(false).stoppedBy(ME).quotaReserved(false).admitted(false));
  static final QueueView OPEN = new QueueView("cq", false, "", null);

  static RecoverySnapshot seen(
      Given.Job job,
      WorkloadView workload,
      RecoveryStatus status,
      List<PodView> pods,
      @Nullable QueueView queue) {
    RecoverySnapshot s = snapshot(job, status, pods, List.of(), 0);
    // What plans exclude.
    Map<String, NodeView> nodes = new HashMap<>(s.nodes());
    nodes.computeIfPresent("node-1", (_, node) -> node.withUnschedulable(true));
    return s.with(
        b ->
            b.nodes(nodes)
                .job(
                    QueuedJob.with(
                        job.view().withGang(new GangScheduling.Kueue("q", null)),
                        List.of(workload)))
                .queue(queue));
  }

  static Decision decide(RecoverySnapshot s) {
    return RecoveryMachine.decide(s, Policy.DEFAULT, NOW);
  }

  static List<Effect> effects(Decision decision) {
    assertThat(decision).isInstanceOf(Decision.Act.class);
    Decision.Act act = (Decision.Act) decision;
    return Stream.concat(act.effects().stream(), act.then().stream()).toList();
  }

  static RecoveryStatus planned() {
    RecoveryStatus status = status(RecoveryPhase.RESUMING, null, 1);
    return status.withPlan(
        Objects.requireNonNull(status.plan())
            .with(
                b ->
                    b.excludedNodes(List.of("node-1"))
                        .gangSize(3)
                        .checkpoint(
                            new PinnedCheckpoint(
                                CheckpointVerdict.VALID, "/ckpt/step_40", 40L, "", "", null, ""))));
  }
}
