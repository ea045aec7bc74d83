package dev.rekindle.controller.shadow;

import dev.rekindle.api.Scorecard;
import dev.rekindle.api.Scorecard.Entry;
import dev.rekindle.api.ShadowAction;
import dev.rekindle.api.ShadowVerdict;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.shadow.Scores.Outcome;
import dev.rekindle.controller.telemetry.Metrics;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Keeps the scorecards of the policies: reads what is written there, asks {@link OutcomeEvaluator},
 * and writes what is new. What a scorecard says is on the policy's status alone, so a new leader
 * continues with it.
 */
public final class ShadowRecorder {
  /** How often an open entry is asked again though nothing changes. */
  public static final Duration AGAIN = Duration.ofMinutes(5);

  private final ClusterState state;
  private final ClusterGateway gateway;
  private final Metrics metrics;

  /** Takes what it reads from and what it writes through. */
  public ShadowRecorder(ClusterState state, ClusterGateway gateway, Metrics metrics) {
    this.state = state;
    this.gateway = gateway;
    this.metrics = metrics;
  }

  /** A node would be fenced now for that fault. */
  public void wouldFence(String policy, String node, String fault, String reason, Instant now) {
    would(
        policy,
        new Entry(ShadowAction.FENCE, node, fault, reason, now, ShadowVerdict.OPEN, "", null));
  }

  /** A job would be restarted now. */
  public void wouldRestart(JobView job, String reason, Instant now) {
    would(
        job.policy(),
        new Entry(
            ShadowAction.RESTART,
            job.key().toString(),
            job.uid(),
            reason,
            now,
            ShadowVerdict.OPEN,
            "",
            null));
  }

  private void would(String policy, Entry entry) {
    // Where the policy does not exist there is nowhere to write.
    if (state.policies().contains(policy) && !Scores.isWritten(state.scorecard(policy), entry)) {
      gateway.score(policy, card -> Scores.would(card, entry));
      metrics.shadow().would(entry.what().word());
    }
  }

  /** Judges what is open about a node; true while something still is. */
  public boolean followNode(String name, Instant now) {
    boolean open = false;
    for (String policy : state.policies()) {
      for (Entry entry : Scores.open(state.scorecard(policy), ShadowAction.FENCE, name)) {
        NodeView node = state.node(name).orElse(null);
        Optional<Outcome> outcome =
            OutcomeEvaluator.ofFence(
                entry,
                node,
                state.faults(name),
                state.podsOn(name),
                RuledJob.ofNodes(state).incidentGap(),
                now);
        open |= outcome.isEmpty();
        outcome.ifPresent(o -> judged(policy, entry, o, now));
      }
    }
    return open;
  }

  /** Judges what is open about a job; true while something still is. */
  public boolean followJob(
      JobKey key, Optional<JobView> present, List<RankView> ranks, Instant now) {
    boolean open = false;
    for (String policy : state.policies()) {
      for (Entry entry :
          Scores.open(state.scorecard(policy), ShadowAction.RESTART, key.toString())) {
        JobView job = present.filter(j -> j.uid().equals(entry.uid())).orElse(null);
        // A watch that begins again with a list of a while ago lacks a job that is there.
        boolean unseen = job == null && gateway.exists(key, entry.uid());
        Optional<Outcome> outcome =
            unseen ? Optional.empty() : OutcomeEvaluator.ofRestart(entry, job, ranks, now);
        open |= outcome.isEmpty();
        outcome.ifPresent(o -> judged(policy, entry, o, now));
      }
    }
    return open;
  }

  private void judged(String policy, Entry entry, Outcome outcome, Instant now) {
    gateway.score(policy, (Scorecard card) -> Scores.judge(card, entry, outcome, now));
    metrics.shadow().judged(entry.what().word(), outcome.verdict().word());
  }
}
