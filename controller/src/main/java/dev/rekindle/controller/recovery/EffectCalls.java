package dev.rekindle.controller.recovery;

import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.GivenCheckpoint;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.model.TrackerOrder;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the call of the gateway that each effect stands for. */
final class EffectCalls {
  private static final Logger LOG = LoggerFactory.getLogger(EffectCalls.class);

  private final ClusterGateway gateway;
  private final Metrics metrics;
  private final InspectorSession inspectors;

  EffectCalls(ClusterGateway gateway, Metrics metrics, InspectorSession inspectors) {
    this.gateway = gateway;
    this.metrics = metrics;
    this.inspectors = inspectors;
  }

  /** Carries an effect out; throws what the gateway throws. */
  void act(JobKey key, RecoveryView recovery, Effect effect) {
    LOG.atDebug()
        .addKeyValue(LogKey.JOB.key(), key)
        .addKeyValue(LogKey.RECOVERY.key(), recovery.name())
        .addKeyValue(LogKey.ACTION.key(), effect)
        .log("Acting for a recovery");
    String uid = recovery.spec().jobUid();
    switch (effect) {
      case Effect.Cordon(String node, String reason, FenceLimit limit) ->
          cordon(recovery, node, reason, limit);
      case Effect.Suspend() ->
          gateway.suspend(key, uid, recovery.name(), Transitions.attemptId(recovery));
      case Effect.Revive() -> gateway.revive(key, uid, recovery.name());
      case Effect.DeletePod(String pod, String podUid, Duration grace) ->
          gateway.deletePod(key, pod, podUid, grace);
      case Effect.StartInspector() -> inspectors.start(key, uid, recovery.name());
      case Effect.StopInspector() -> inspectors.stop(key, recovery.name());
      case Effect.StartTracker(TrackerOrder order) -> gateway.startTracker(key, uid, order);
      case Effect.Order(String name, RestartOrderSpec spec) -> gateway.order(recovery, name, spec);
      case Effect.Withdraw(String name) -> gateway.withdraw(key, name);
      case Effect.ClearResume() -> gateway.clearResume(key, uid);
      case Effect.PlanNodes(List<String> hostnames) -> gateway.planNodes(key, uid, hostnames);
      case Effect.ReleaseSpare(String pod, String podUid, String node) -> {
        gateway.removeSpare(key, pod, podUid);
        metrics.spare("released");
        gateway.recordEvent(
            new ClusterEvent(
                key,
                uid,
                Reason.SPARE_RELEASED,
                "%s: the room of warm spare %s on %s is the gang's"
                    .formatted(recovery.name(), pod, node),
                node));
      }
      case Effect.HoldQueue(String queue) -> gateway.holdQueue(queue, key, recovery.name());
      case Effect.ReleaseQueue(String queue) -> gateway.releaseQueue(queue, key);
      case Effect.Requeue(String podGroup, String mark) -> gateway.requeue(key, podGroup, mark);
      case Effect.InjectResume(String pod, String podUid, GivenCheckpoint given) ->
          gateway.injectResume(key, pod, podUid, given);
      case Effect.Resume(ResumeOrder order) -> {
        gateway.resume(key, uid, order);
        gateway.recordEvent(
            new ClusterEvent(
                key,
                uid,
                Reason.JOB_RESUMED,
                "%s: as attempt %s".formatted(recovery.name(), order.attempt()),
                ""));
      }
    }
  }

  private void cordon(RecoveryView recovery, String node, String reason, FenceLimit limit) {
    String by = recovery.namespace() + "/" + recovery.name();
    if (gateway.cordon(node, by, reason, limit)) {
      gateway.recordEvent(
          ClusterEvent.onNode(node, Reason.NODE_FENCED, reason + " (recovery " + by + ")"));
      metrics.nodes().fenced();
    }
  }
}
