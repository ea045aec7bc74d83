package dev.rekindle.controller.fencing;

import dev.rekindle.controller.diagnosis.NodeFacts;
import dev.rekindle.controller.diagnosis.NodeVerdict;
import dev.rekindle.controller.diagnosis.NodeVerdicts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.runtime.Reconciler;
import dev.rekindle.controller.shadow.ShadowRecorder;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconciles one node: fences it at once when it is faulty, before any job has its recovery, and
 * lifts our fence when the node is well again. Observes through {@link ClusterState}, decides with
 * {@link NodeVerdicts}, acts through {@link ClusterGateway}.
 *
 * <p>A recovery fences as well, should it be first. Both weigh faults in the same way, so one never
 * lifts what the other places.
 */
public final class FenceReconciler implements Reconciler<String> {
  private static final Logger LOG = LoggerFactory.getLogger(FenceReconciler.class);

  /** A lemon is one no longer when its incidents are long ago. */
  private static final Duration LEMON_AGAIN = Duration.ofHours(6);

  private final ClusterState state;
  private final InstantSource clock;
  private final ShadowRecorder scores;
  private final NodeWrites writes;
  private final LemonLabels lemons;
  private final NodeEvents events;
  private final FencePlacement fences;

  /** Takes what it reads from, what it acts through and the clock. */
  public FenceReconciler(
      ClusterState state,
      ClusterGateway gateway,
      Metrics metrics,
      InstantSource clock,
      NodeWrites writes) {
    this.writes = writes;
    this.state = state;
    this.clock = clock;
    this.lemons = new LemonLabels(state, gateway, metrics, writes);
    this.events = new NodeEvents(state, gateway, metrics);
    this.fences = new FencePlacement(state, gateway, metrics, writes, events);
    this.scores = new ShadowRecorder(state, gateway, metrics);
  }

  @Override
  public Optional<Duration> reconcile(String name) {
    Instant now = clock.instant();
    if (state.node(name).isEmpty()) {
      // What was said of it was not said of the next Node of its name.
      events.forget(name);
      fences.forget(name);
    }
    boolean lemon = lemons.mark(name, now);
    boolean followed = scored(name, () -> scores.followNode(name, now));
    events.sayOfFlood(name, now);
    Optional<Duration> decided = decide(name, now);
    Optional<Duration> again =
        writes.again(name).flatMap(soon -> sooner(decided, soon)).or(() -> decided);
    again = lemon ? sooner(again, LEMON_AGAIN) : again;
    return followed ? sooner(again, ShadowRecorder.AGAIN) : again;
  }

  private static Optional<Duration> sooner(Optional<Duration> again, Duration other) {
    return Optional.of(again.filter(a -> a.compareTo(other) < 0).orElse(other));
  }

  /** A scorecard that cannot be written is no reason not to reconcile the node. */
  private static boolean scored(String name, BooleanSupplier write) {
    try {
      return write.getAsBoolean();
    } catch (CallException | StaleException failed) {
      LOG.atWarn()
          .addKeyValue(LogKey.NODE.key(), name)
          .addKeyValue(LogKey.ERROR.key(), failed.getMessage())
          .log("Cannot write the scorecard of a policy");
      return true;
    }
  }

  private Optional<Duration> decide(String name, Instant now) {
    return switch (NodeVerdicts.decide(
        NodeFacts.of(state, name, now), RuledJob.ofNodes(state), now)) {
      case NodeVerdict.NoAction(_, @Nullable Instant until) -> again(until, now);
      case NodeVerdict.Fence fence -> fences.place(name, fence, now);
      case NodeVerdict.Suppressed withheld -> withhold(name, withheld, now);
      case NodeVerdict.OverQuota(FaultView fault, String why) -> {
        events.say(name, Reason.FENCE_QUOTA_REACHED, fault.name(), why + approve(name, fault), now);
        yield Optional.of(NodeEvents.SAY_AGAIN);
      }
      case NodeVerdict.Paused(FaultView fault, String why, String policy) -> {
        String note = why + "; RecoveryPolicy %s is paused".formatted(policy);
        events.say(name, Reason.FENCE_PAUSED, fault.name(), note, now);
        yield Optional.of(NodeEvents.SAY_AGAIN);
      }
      case NodeVerdict.KeepFenced(String why) -> {
        events.say(name, Reason.NODE_KEPT_FENCED, "", why, now);
        yield Optional.empty();
      }
      case NodeVerdict.Release(String why) -> fences.release(name, why);
    };
  }

  private Optional<Duration> withhold(String name, NodeVerdict.Suppressed withheld, Instant now) {
    String how = withheld.mode() == Mode.OBSERVE ? "" : approve(name, withheld.fault());
    Reason reason =
        withheld.mode() == Mode.OBSERVE ? Reason.WOULD_FENCE : Reason.FENCE_AWAITS_APPROVAL;
    events.say(name, reason, withheld.fault().name(), withheld.reason() + how, now);
    if (withheld.mode() == Mode.OBSERVE) {
      var _ =
          scored(
              name,
              () -> {
                scores.wouldFence(
                    withheld.policy(), name, withheld.fault().name(), withheld.reason(), now);
                return true;
              });
    }
    return Optional.of(NodeEvents.SAY_AGAIN);
  }

  private static String approve(String node, FaultView fault) {
    return "; to approve: kubectl annotate node %s rekindle.dev/approve-fence=%s"
        .formatted(node, fault.name());
  }

  private static Optional<Duration> again(@Nullable Instant until, Instant now) {
    if (until == null) {
      return Optional.empty();
    }
    Duration left = Duration.between(now, until);
    return Optional.of(left.isNegative() ? Duration.ZERO : left);
  }
}
