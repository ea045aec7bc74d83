package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.TrackerOrder;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;

/** Facts that no watch shows: the API server is asked for each. */
final class LiveFacts {
  private final ClusterGateway gateway;
  private final Effects effects;

  LiveFacts(ClusterGateway gateway, Effects effects) {
    this.gateway = gateway;
    this.effects = effects;
  }

  /** Whether the API server itself shows no pod either, where that matters. */
  boolean isDrained(JobKey key, JobView job, RecoveryView recovery, RecoveryPhase phase) {
    if (!job.suspensionSeen()
        || job.finish() == Finish.FAILED
        || phase.isTerminal()
        || phase == RecoveryPhase.PLANNING
        || phase == RecoveryPhase.RESUMING) {
      return false;
    }
    return effects
        .ask(key, recovery.name(), CallKind.LIST_PODS, () -> gateway.livePods(key))
        .filter(live -> live.stream().noneMatch(p -> p.jobUid().equals(job.uid())))
        .isPresent();
  }

  /** What the Job reports that writes the tracker file. */
  TrackerView tracker(JobKey key, RecoveryView recovery, TrackerOrder order) {
    try {
      return gateway.tracker(key, recovery.spec().jobUid(), order);
    } catch (CallException failed) {
      // As good as one that does not report: it is waited for as long as for that.
      return new TrackerView.Pending("it cannot be read: " + failed.text());
    } catch (StaleException changed) {
      return new TrackerView.Pending(String.valueOf(changed.getMessage()));
    }
  }
}
