package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.failed;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.network.ClusterNetworks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Snapshots of a recovery by rebuild at one moment, and what is decided on them. */
final class RecoverySnapshots {
  static final FaultView XID_79 = fault("node-1", "XID-79", FenceGuidance.ALWAYS);

  private RecoverySnapshots() {}

  static List<PodView> broken(int attempt) {
    List<PodView> gang = new ArrayList<>(gang(ME + "-" + attempt));
    gang.set(1, failed(gang.get(1), NOW, "exit code 1"));
    return gang;
  }

  static RecoveryStatus status(RecoveryPhase phase, @Nullable RecoveryPhase heldFrom, int attempt) {
    return status(phase, heldFrom, attempt, "XID-79");
  }

  static RecoveryStatus status(
      RecoveryPhase phase, @Nullable RecoveryPhase heldFrom, int attempt, String reason) {
    Cause cause =
        new Cause(
            reason,
            "GPU 0 of node node-1",
            List.of(),
            List.of("node-1"),
            List.of(),
            List.of(),
            42L);
    Plan plan = new Plan(RestartWay.REBUILD, "", List.of(), List.of(), Map.of(), null);
    return new RecoveryStatus(
        phase, T0, attempt, heldFrom, cause, plan, null, List.of(), List.of());
  }

  static Decision decide(Given.Job job, RecoveryStatus status, List<PodView> pods, int restarts) {
    return RecoveryMachine.decide(
        snapshot(job, status, pods, List.of(), restarts), Policy.DEFAULT, NOW);
  }

  static Decision decide(
      RecoveryStatus status, List<PodView> pods, NodeView node, List<FaultView> faults) {
    Map<String, NodeView> nodes = new HashMap<>(Given.nodes());
    nodes.put(node.name(), node);
    return RecoveryMachine.decide(
        snapshot(job(), status, pods, nodes, faults, List.of(), 0), Policy.DEFAULT, NOW);
  }

  static RecoverySnapshot snapshot(
      Given.Job job,
      RecoveryStatus status,
      List<PodView> pods,
      List<RankView> ranks,
      int restarts) {
    return snapshot(job, status, pods, Given.nodes(), List.of(), ranks, restarts);
  }

  static RecoverySnapshot snapshot(
      Given.Job job,
      RecoveryStatus status,
      List<PodView> pods,
      Map<String, NodeView> nodes,
      List<FaultView> faults,
      List<RankView> ranks,
      int restarts) {
    return new RecoverySnapshot(
        Given.recovery(ME, T0, status),
        job.view(),
        pods,
        nodes,
        faults,
        ranks,
        null,
        List.of(),
        Map.of(),
        Map.of(),
        restarts,
        null,
        false,
        true,
        new Inspection.Pending("scans"),
        List.of(),
        null,
        false,
        List.of(),
        Failures.NONE,
        List.of(),
        null,
        ClusterNetworks.NONE,
        new TrackerView.Absent(),
        List.of(),
        Map.of());
  }
}
