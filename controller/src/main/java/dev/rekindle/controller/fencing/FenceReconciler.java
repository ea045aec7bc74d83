package dev.rekindle.controller.fencing;

import dev.rekindle.controller.diagnosis.NodeFacts;
import dev.rekindle.controller.diagnosis.NodeVerdict;
import dev.rekindle.controller.diagnosis.NodeVerdicts;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.BreakerFullException;
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
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
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

  /** A full breaker is retried after a pause: somebody must release a node, or a cache catch up. */
  private static final Duration BREAKER_FULL = Duration.ofSeconds(15);

  /** A lemon is one no longer when its incidents are long ago. */
  private static final Duration LEMON_AGAIN = Duration.ofHours(6);

  /** How soon a watch shows a cordon that was placed; until then it is not placed again. */
  private static final Duration SEEN_SOON = Duration.ofSeconds(2);

  private static final Duration UNTIL_SEEN = Duration.ofMillis(100);

  private static final Duration SAY_AGAIN = Duration.ofHours(1);

  private final ClusterState state;
  private final ClusterGateway gateway;
  private final Metrics metrics;
  private final InstantSource clock;
  private final ShadowRecorder scores;
  private final NodeWrites writes;
  private final Map<String, Said> said = new ConcurrentHashMap<>();
  private final Map<String, Instant> placed = new ConcurrentHashMap<>();
  private final Map<String, Instant> floods = new ConcurrentHashMap<>();

  /** What was last said about a node, so that it is not said in every reconcile. */
  private record Said(Reason reason, String about, Instant at) {}

  /** Takes what it reads from, what it acts through and the clock. */
  public FenceReconciler(
      ClusterState state,
      ClusterGateway gateway,
      Metrics metrics,
      InstantSource clock,
      NodeWrites writes) {
    this.writes = writes;
    this.state = state;
    this.gateway = gateway;
    this.metrics = metrics;
    this.clock = clock;
    this.scores = new ShadowRecorder(state, gateway, metrics);
  }

  @Override
  public Optional<Duration> reconcile(String name) {
    Instant now = clock.instant();
    if (state.node(name).isEmpty()) {
      // What was said of it was not said of the next Node of its name.
      said.remove(name);
      placed.remove(name);
    }
    boolean lemon = lemon(name, now);
    boolean followed = scored(name, () -> scores.followNode(name, now));
    sayOfFlood(name, now);
    Optional<Duration> decided = decide(name, now);
    Optional<Duration> again =
        writes.again(name).flatMap(soon -> sooner(decided, soon)).or(() -> decided);
    again = lemon ? sooner(again, LEMON_AGAIN) : again;
    return followed ? sooner(again, ShadowRecorder.AGAIN) : again;
  }

  private static Optional<Duration> sooner(Optional<Duration> again, Duration other) {
    return Optional.of(again.filter(a -> a.compareTo(other) < 0).orElse(other));
  }

  /** Marks a node that had repeated incidents, and unmarks it once that is long ago. */
  private boolean lemon(String name, Instant now) {
    Optional<NodeView> node = state.node(name);
    boolean again = node.filter(n -> NodeIncidentHistory.lemon(n.incidents(), now)).isPresent();
    boolean named = node.filter(n -> NamedStalls.parse(n.stalls()).lemon(now)).isPresent();
    boolean lemon = again || named;
    if (node.isPresent() && node.get().lemon() != lemon) {
      boolean marked = writes.ask(name, "mark as a lemon", () -> gateway.markLemon(name, lemon));
      if (lemon && marked) {
        String why =
            again
                ? "repeated incidents: "
                    + NodeIncidentHistory.parse(node.get().incidents()).format()
                : "jobs in different places waited for ranks on it: "
                    + NamedStalls.parse(node.get().stalls()).format();
        LOG.atWarn()
            .addKeyValue(LogKey.NODE.key(), name)
            .addKeyValue(LogKey.DETAIL.key(), why)
            .log("Node marked as a lemon");
        metrics.lemon();
        gateway.recordEvent(ClusterEvent.onNode(name, Reason.LEMON, why));
      }
    }
    return lemon;
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

  /** Says that the node has more faults than are judged. */
  private void sayOfFlood(String name, Instant now) {
    int leftOut = state.faultsLeftOut(name);
    if (leftOut == 0) {
      floods.remove(name);
      return;
    }
    Instant last = floods.get(name);
    if (last == null || Duration.between(last, now).abs().compareTo(SAY_AGAIN) >= 0) {
      floods.put(name, now);
      String note =
          "%d NodeFaults of the node are decided at, and %d or more are not; delete those that are"
                  .formatted(state.faults(name).size(), leftOut)
              + " not its own: kubectl get nodefaults";
      LOG.atWarn()
          .addKeyValue(LogKey.NODE.key(), name)
          .addKeyValue(LogKey.REASON.key(), Reason.TOO_MANY_FAULTS.word())
          .addKeyValue(LogKey.DETAIL.key(), note)
          .log("Too many NodeFaults on a node; some are not decided at");
      metrics.unfenced(Reason.TOO_MANY_FAULTS);
      gateway.recordEvent(ClusterEvent.onNode(name, Reason.TOO_MANY_FAULTS, note));
    }
  }

  private Optional<Duration> decide(String name, Instant now) {
    return switch (NodeVerdicts.decide(
        NodeFacts.of(state, name, now), RuledJob.ofNodes(state), now)) {
      case NodeVerdict.NoAction(_, @Nullable Instant until) -> again(until, now);
      case NodeVerdict.Fence fence -> fence(name, fence, now);
      case NodeVerdict.Suppressed withheld -> withhold(name, withheld, now);
      case NodeVerdict.OverQuota(FaultView fault, String why) -> {
        say(name, Reason.FENCE_QUOTA_REACHED, fault.name(), why + approve(name, fault), now);
        yield Optional.of(SAY_AGAIN);
      }
      case NodeVerdict.Paused(FaultView fault, String why, String policy) -> {
        String note = why + "; RecoveryPolicy %s is paused".formatted(policy);
        say(name, Reason.FENCE_PAUSED, fault.name(), note, now);
        yield Optional.of(SAY_AGAIN);
      }
      case NodeVerdict.KeepFenced(String why) -> {
        say(name, Reason.NODE_KEPT_FENCED, "", why, now);
        yield Optional.empty();
      }
      case NodeVerdict.Release(String why) -> release(name, why);
    };
  }

  private Optional<Duration> fence(String name, NodeVerdict.Fence fence, Instant now) {
    // The agent continues writing of its fault: in a storm every further reconcile would be a call.
    Instant before = placed.get(name);
    if (before != null && Duration.between(before, now).abs().compareTo(SEEN_SOON) < 0) {
      return Optional.of(UNTIL_SEEN);
    }
    Collection<NodeView> nodes = state.nodes();
    FenceLimit limit = FenceLimit.of(fence.policy(), nodes, name, fence.namespaces(), now);
    Set<String> fenced =
        nodes.stream()
            .filter(NodeView::fencedByUs)
            .map(NodeView::name)
            .collect(Collectors.toUnmodifiableSet());
    Optional<String> passed = limit.passed(fenced, name);
    if (passed.isPresent()) {
      return full(name, "would pass the limit of " + passed.get(), now);
    }
    String by = "fault/" + fence.fault().name();
    AtomicBoolean cordoned = new AtomicBoolean();
    try {
      var _ =
          writes.ask(
              name, "cordon", () -> cordoned.set(gateway.cordon(name, by, fence.reason(), limit)));
    } catch (BreakerFullException full) {
      return full(name, String.valueOf(full.getMessage()), now);
    }
    if (cordoned.get()) {
      placed.put(name, now);
      said.remove(name);
      LOG.atInfo()
          .addKeyValue(LogKey.NODE.key(), name)
          .addKeyValue(LogKey.FAULT.key(), fence.fault().name())
          .addKeyValue(LogKey.DETAIL.key(), fence.reason())
          .log("Node fenced");
      metrics.fenced();
      gateway.recordEvent(ClusterEvent.onNode(name, Reason.NODE_FENCED, fence.reason()));
    }
    return Optional.empty();
  }

  private Optional<Duration> full(String name, String why, Instant now) {
    say(name, Reason.BREAKER_OPEN, "", why + "; release one or raise the limit", now);
    return Optional.of(BREAKER_FULL);
  }

  private Optional<Duration> withhold(String name, NodeVerdict.Suppressed withheld, Instant now) {
    String how = withheld.mode() == Mode.OBSERVE ? "" : approve(name, withheld.fault());
    Reason reason =
        withheld.mode() == Mode.OBSERVE ? Reason.WOULD_FENCE : Reason.FENCE_AWAITS_APPROVAL;
    say(name, reason, withheld.fault().name(), withheld.reason() + how, now);
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
    return Optional.of(SAY_AGAIN);
  }

  private static String approve(String node, FaultView fault) {
    return "; to approve: kubectl annotate node %s rekindle.dev/approve-fence=%s"
        .formatted(node, fault.name());
  }

  private void say(String name, Reason reason, String about, String note, Instant now) {
    Said last = said.get(name);
    if (last == null
        || last.reason() != reason
        || !last.about().equals(about)
        || !last.at().plus(SAY_AGAIN).isAfter(now)) {
      said.put(name, new Said(reason, about, now));
      LOG.atWarn()
          .addKeyValue(LogKey.NODE.key(), name)
          .addKeyValue(LogKey.REASON.key(), reason.word())
          .addKeyValue(LogKey.DETAIL.key(), note)
          .log("Event on a node");
      metrics.unfenced(reason);
      gateway.recordEvent(ClusterEvent.onNode(name, reason, note));
    }
  }

  private Optional<Duration> release(String name, String why) {
    String by = state.node(name).map(NodeView::fencedBy).orElse("");
    if (!writes.ask(name, "uncordon", () -> gateway.release(name))) {
      return Optional.empty();
    }
    LOG.atInfo()
        .addKeyValue(LogKey.NODE.key(), name)
        .addKeyValue(LogKey.BY.key(), by)
        .addKeyValue(LogKey.DETAIL.key(), why)
        .log("Node released");
    said.remove(name);
    placed.remove(name);
    gateway.recordEvent(
        ClusterEvent.onNode(name, Reason.NODE_RELEASED, why + "; it was fenced by " + by));
    return Optional.empty();
  }

  private static Optional<Duration> again(@Nullable Instant until, Instant now) {
    if (until == null) {
      return Optional.empty();
    }
    Duration left = Duration.between(now, until);
    return Optional.of(left.isNegative() ? Duration.ZERO : left);
  }
}
