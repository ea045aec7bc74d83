package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryEvent;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.controller.fencing.NodeWrites;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports moves of recoveries that are stored: in logs, metrics and events, and on nodes. */
final class StoredMoves {
  private static final Logger LOG = LoggerFactory.getLogger(StoredMoves.class);

  /** From here a gang that drains again needs a scan of its checkpoints that begins after that. */
  private static final Set<RecoveryPhase> AFTER_DRAINING =
      EnumSet.of(RecoveryPhase.PLANNING, RecoveryPhase.RESUMING, RecoveryPhase.VERIFYING);

  private final ClusterGateway gateway;
  private final Metrics metrics;
  private final InstantSource clock;
  private final InspectorSession inspectors;
  private final NodeNotes nodeNotes;
  private final StallNotes stalls;

  StoredMoves(
      ClusterState state,
      ClusterGateway gateway,
      Metrics metrics,
      InstantSource clock,
      InspectorSession inspectors) {
    this.gateway = gateway;
    this.metrics = metrics;
    this.clock = clock;
    this.inspectors = inspectors;
    this.nodeNotes = new NodeNotes(new NodeWrites(gateway, metrics, clock), clock);
    this.stalls = new StallNotes(state, gateway, nodeNotes, clock);
  }

  /** Reports a move that this process has stored. */
  void makeKnown(JobKey key, UnansweredMoves.Move move, RecoveryView stored) {
    RecoveryStatus last = Objects.requireNonNull(move.from().status());
    RecoveryStatus next = move.next();
    RecoveryPhase left = Objects.requireNonNull(last.phase());
    RecoveryPhase entered = Objects.requireNonNull(next.phase());
    String detail = next.timeline().isEmpty() ? "" : next.timeline().getLast().detail();
    LOG.atInfo()
        .addKeyValue(LogKey.JOB.key(), key)
        .addKeyValue(LogKey.RECOVERY.key(), stored.name())
        .addKeyValue(LogKey.PHASE.key(), entered.word())
        .addKeyValue(LogKey.ATTEMPT.key(), next.attempt())
        .addKeyValue(LogKey.DETAIL.key(), detail)
        .log("Recovery moved on");
    Instant since = last.phaseSince();
    if (left != entered && since != null) {
      metrics
          .recoveries()
          .phase(left, Duration.between(since, clock.instant()).toMillis() / 1000.0);
    }
    boolean drainsAgain = entered == RecoveryPhase.DRAINING || entered == RecoveryPhase.FENCING;
    if (drainsAgain && AFTER_DRAINING.contains(left)) {
      inspectors.forget(key);
    }
    String cause = next.cause() == null ? "None" : next.cause().reason();
    Outcome outcome = next.outcome();
    if (entered.isTerminal()) {
      metrics.recoveries().ended(cause, entered);
      recordIncident(stored);
    }
    if (entered == RecoveryPhase.RECOVERED
        && outcome != null
        && outcome.downtimeSeconds() != null) {
      metrics.recoveries().downtime(cause, outcome.downtimeSeconds());
      Optional.ofNullable(outcome.lost()).ifPresent(work -> metrics.recoveries().lost(cause, work));
      Optional.ofNullable(outcome.resume()).ifPresent(metrics.recoveries()::resumed);
    }
    if (next.resumes().size() > last.resumes().size()) {
      metrics.recoveries().resumed(next.resumes().getLast().result());
    }
    if (saysOfItsNetwork(last, next)) {
      RecoveryStatusBuilder.network(next)
          .map(Condition::getReason)
          .ifPresent(metrics.recoveries()::network);
    }
    move.notes().forEach(note -> recordEvent(key, stored, note));
    stalls.record(last, stored);
  }

  /**
   * Reports what another process has stored and may not have reported. Metrics are not counted
   * again: the other process may have, and what it had counted ends with it.
   */
  void makeKnown(JobKey key, Takeover.Missing missing) {
    RecoveryView recovery = missing.recovery();
    for (RecoveryEvent event : missing.events()) {
      // A later version may have words of its own.
      Reason.of(event.reason())
          .map(reason -> new Decision.Note(reason, event.note(), event.node()))
          .map(note -> event(key, recovery, note))
          .ifPresent(said -> gateway.recordEventOnce(said, event.time()));
    }
    if (missing.end()) {
      recordIncident(recovery);
    }
    if (missing.stall()) {
      stalls.record(null, recovery);
    }
  }

  /** Whether an attempt has ended for it, or a hold begins, or a gang counts as recovered. */
  private static boolean saysOfItsNetwork(RecoveryStatus last, RecoveryStatus next) {
    boolean failed =
        next.attempt() > last.attempt()
            && !next.resumes().isEmpty()
            && !next.resumes().getLast().withoutRdma().isEmpty();
    boolean held =
        last.phase() != RecoveryPhase.HELD
            && HoldReason.of(next).filter(HoldReason.RDMA_NOT_RESTORED::equals).isPresent();
    return failed || held || next.phase() == RecoveryPhase.RECOVERED;
  }

  /** Fences write down what they are for; of a node that only fell silent nothing else does. */
  private void recordIncident(RecoveryView over) {
    RecoveryStatus status = over.status();
    if (status == null || status.cause() == null) {
      return;
    }
    String by = over.namespace() + "/" + over.name();
    Instant opened = Objects.requireNonNullElse(over.spec().detectedAt(), clock.instant());
    nodeNotes.write(
        over.job(),
        status.cause().silentNodes(),
        "note the silence that " + by + " was for",
        node -> gateway.recordIncident(node, by, opened));
  }

  /** Records an event on a recovery. */
  void recordEvent(JobKey key, RecoveryView recovery, Decision.Note note) {
    gateway.recordEvent(event(key, recovery, note));
  }

  private static ClusterEvent event(JobKey key, RecoveryView recovery, Decision.Note note) {
    return new ClusterEvent(
        key,
        recovery.spec().jobUid(),
        note.reason(),
        recovery.name() + ": " + note.text(),
        note.node());
  }

  /**
   * Writes on nodes what was not accepted before.
   *
   * @return when to retry; empty when nothing is open
   */
  Optional<Duration> retryNodeNotes(JobKey key) {
    return nodeNotes.retry(key);
  }
}
