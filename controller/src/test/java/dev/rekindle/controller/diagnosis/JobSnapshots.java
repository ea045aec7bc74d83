package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.Given.nodes;
import static dev.rekindle.controller.Given.ranks;
import static dev.rekindle.controller.Given.recovery;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Snapshots of a job at one moment, and what is decided on them. */
final class JobSnapshots {
  static final Instant NOW = T0.plusSeconds(100);
  static final FaultView XID_79 = fault("node-1", "XID-79", FenceGuidance.ALWAYS);

  private JobSnapshots() {}

  static JobSnapshot with(List<PodView> pods, List<RankView> ranks, RecoveryView recovery) {
    JobSnapshot s = snapshot(job(), pods, List.of(), ranks, nodes());
    return new JobSnapshot(s.job(), pods, s.nodes(), s.faults(), ranks, List.of(recovery));
  }

  static RecoveryView drained(String name, Instant detected, int attempts) {
    return drained(name, detected, attempts, T0);
  }

  static RecoveryView drained(String name, Instant detected, int attempts, Instant ended) {
    RecoveryStatus status =
        new RecoveryStatus(
            RecoveryPhase.RECOVERED,
            ended,
            attempts,
            null,
            null,
            null,
            null,
            List.of(new TimelineEntry(RecoveryPhase.DRAINING, detected, "")),
            List.of());
    return Given.recovery(name, detected, status);
  }

  static Map<String, NodeView> silent(String name) {
    Map<String, NodeView> nodes = new HashMap<>(nodes());
    nodes.put(name, node(name, Readiness.SILENT, NOW.minusSeconds(20), false, ""));
    return nodes;
  }

  static List<RankView> stepping(List<PodView> pods) {
    return ranks(pods, 42L, NOW.minusMillis(100), NOW);
  }

  static List<PodView> with(List<PodView> pods, int index, PodView pod) {
    List<PodView> changed = new ArrayList<>(pods);
    changed.set(index, pod);
    return changed;
  }

  static String reason(Verdict verdict) {
    assertThat(verdict).isInstanceOf(Verdict.Recover.class);
    return ((Verdict.Recover) verdict).cause().reason();
  }

  static Verdict decide(
      Given.Job job, List<PodView> pods, List<FaultView> faults, List<RankView> ranks) {
    return decide(job, pods, faults, ranks, nodes());
  }

  static Verdict decide(
      Given.Job job,
      List<PodView> pods,
      List<FaultView> faults,
      List<RankView> ranks,
      Map<String, NodeView> nodes) {
    return JobVerdicts.decide(snapshot(job, pods, faults, ranks, nodes), Policy.DEFAULT, NOW);
  }

  static JobSnapshot snapshot(
      Given.Job job,
      List<PodView> pods,
      List<FaultView> faults,
      List<RankView> ranks,
      Map<String, NodeView> nodes) {
    JobView view = job.view();
    return new JobSnapshot(view, pods, nodes, faults, ranks, List.of());
  }
}
