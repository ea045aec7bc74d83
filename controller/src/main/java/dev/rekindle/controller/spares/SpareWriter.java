package dev.rekindle.controller.spares;

import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.SpareOrder;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.placement.SpareNodes;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes and removes the warm spares that were decided on, with their events. */
final class SpareWriter {
  private static final Logger LOG = LoggerFactory.getLogger(SpareWriter.class);

  private static final Duration TROUBLE = Duration.ofSeconds(10);

  private final ClusterState state;
  private final ClusterGateway gateway;
  private final SpareObserver observer;
  private final Metrics metrics;
  private final InstantSource clock;

  SpareWriter(
      ClusterState state,
      ClusterGateway gateway,
      SpareObserver observer,
      Metrics metrics,
      InstantSource clock) {
    this.state = state;
    this.gateway = gateway;
    this.observer = observer;
    this.metrics = metrics;
    this.clock = clock;
  }

  /** Removes a spare, unless that was requested a moment ago. */
  void remove(JobKey key, SpareDecision.Removal removal, SpareMemory memory, Instant now) {
    SpareView spare = removal.spare();
    if (removal.inVain()) {
      memory.notBefore = now.plus(SpareKeeper.IN_VAIN);
    }
    if (!memory.asks(spare.uid(), now)) {
      return;
    }
    try {
      gateway.removeSpare(key, spare.name(), spare.uid());
    } catch (RefusedException | UnavailableException | StaleException failed) {
      LOG.atWarn()
          .addKeyValue(LogKey.JOB.key(), key)
          .addKeyValue(LogKey.ERROR.key(), String.valueOf(failed.getMessage()))
          .log("Cannot remove a warm spare");
      return;
    }
    metrics.spare("removed");
    gateway.recordEvent(
        new ClusterEvent(
            key,
            spare.jobUid(),
            Reason.SPARE_REMOVED,
            "warm spare %s%s: %s"
                .formatted(
                    spare.name(),
                    spare.node().isEmpty() ? "" : " on " + spare.node(),
                    removal.why()),
            spare.node()));
  }

  /**
   * Makes a spare where a node has room for it.
   *
   * @return what is wanting for it, for people; empty where it is made
   */
  String create(
      JobView job, SpareSnapshot s, int slot, Policy policy, SpareMemory memory, Instant now) {
    Optional<Replica> replica =
        job.replicas().stream().filter(r -> r.type().equals(job.spares().replica())).findFirst();
    List<String> nodes =
        replica
            .map(
                r ->
                    SpareNodes.choose(
                        observer.gang(job, s, now), r, nodesOf(s), policy.topologyKeys()))
            .orElse(List.of());
    if (nodes.isEmpty()) {
      memory.notBefore = now.plus(SpareKeeper.FEWER);
      return "no node has room for a spare of type %s beside what is there"
          .formatted(job.spares().replica());
    }
    List<String> hostnames =
        nodes.stream().map(n -> state.node(n).map(NodeView::hostname).orElse(n)).toList();
    // Numbers of spares that are lost with their nodes are free again while the one made in place
    // of them is not shown yet: a second one would be one too many.
    if (!memory.requested.isEmpty()) {
      return memory.said;
    }
    memory.requested.put(slot, now);
    try {
      gateway.addSpare(
          job.key(),
          job.uid(),
          new SpareOrder(slot, job.spares().replica(), job.spares().template(), hostnames));
    } catch (RefusedException refused) {
      memory.notBefore = now.plus(SpareKeeper.IN_VAIN);
      notMade(job.key(), refused);
      return "the API server refuses the spare: " + refused.text();
    } catch (UnavailableException | StaleException failed) {
      memory.notBefore = now.plus(TROUBLE);
      notMade(job.key(), failed);
      return memory.said;
    } finally {
      // The call may have taken longer than a watch does after it.
      memory.requested.put(slot, clock.instant());
    }
    metrics.spare("created");
    gateway.recordEvent(
        new ClusterEvent(
            job.key(),
            job.uid(),
            Reason.SPARE_CREATED,
            "warm spare %d may go to %s".formatted(slot, String.join(", ", nodes)),
            ""));
    return "";
  }

  private static void notMade(JobKey key, RuntimeException error) {
    LOG.atWarn()
        .addKeyValue(LogKey.JOB.key(), key)
        .addKeyValue(LogKey.ERROR.key(), String.valueOf(error.getMessage()))
        .log("Cannot make a warm spare");
  }

  private static List<String> nodesOf(SpareSnapshot s) {
    return s.spares().stream().map(SpareView::node).filter(n -> !n.isEmpty()).toList();
  }
}
