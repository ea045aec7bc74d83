package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.controller.fencing.NodeWrites;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores recoveries, and makes known what was stored. */
final class RecoveryWriter {
  private static final Logger LOG = LoggerFactory.getLogger(RecoveryWriter.class);

  /** From here a gang that drains again needs a scan of its checkpoints that begins after that. */
  private static final Set<RecoveryPhase> AFTER_DRAINING =
      EnumSet.of(RecoveryPhase.PLANNING, RecoveryPhase.RESUMING, RecoveryPhase.VERIFYING);

  private final ClusterState state;
  private final ClusterGateway gateway;
  private final Metrics metrics;
  private final InstantSource clock;
  private final Effects effects;
  private final InspectorSession inspectors;
  private final JobEvents events;
  private final NodeNotes nodeNotes;
  private final StallNotes stalls;
  private final UnansweredMoves unanswered = new UnansweredMoves();

  /** The last write of a status that failed, for each job, until one succeeds. */
  private final Map<JobKey, EffectFailure> unsaved = new ConcurrentHashMap<>();

  RecoveryWriter(
      ClusterState state,
      ClusterGateway gateway,
      Metrics metrics,
      InstantSource clock,
      Effects effects,
      InspectorSession inspectors,
      JobEvents events) {
    this.state = state;
    this.gateway = gateway;
    this.metrics = metrics;
    this.clock = clock;
    this.effects = effects;
    this.inspectors = inspectors;
    this.events = events;
    this.nodeNotes = new NodeNotes(new NodeWrites(gateway, metrics, clock), clock);
    this.stalls = new StallNotes(state, gateway, nodeNotes, clock);
  }

  /**
   * Creates a recovery.
   *
   * @return empty when the API server does not store it: nothing is done to the job then
   */
  Optional<RecoveryView> create(JobKey key, JobView job, RecoveryView draft) {
    Optional<RecoveryView> created =
        effects.ask(
            key, Effects.NO_RECOVERY, CallKind.OPEN, () -> counted(() -> gateway.open(draft)));
    if (created.isEmpty()) {
      effects
          .failures(key, Effects.NO_RECOVERY)
          .of(CallKind.OPEN, clock.instant())
          .filter(EffectFailure::lasts)
          .ifPresent(f -> events.refused(key, job.uid(), Reason.API_REFUSED, f.describe()));
    } else {
      events.acted(key);
    }
    return created;
  }

  /**
   * Stores a recovery. Where that fails for long its status is out of date, so an event on the job
   * says so: on the one that is there, which waits for the end of what an earlier one of its name
   * has left.
   */
  RecoveryView save(JobKey key, RecoveryView recovery) {
    try {
      RecoveryView stored = counted(() -> gateway.save(recovery));
      unsaved.remove(key);
      return stored;
    } catch (CallException failed) {
      EffectFailure failure =
          EffectFailure.of(
              CallKind.SAVE,
              "Recovery " + recovery.name(),
              failed,
              unsaved.get(key),
              clock.instant());
      unsaved.put(key, failure);
      if (failure.lasts()) {
        String uid = state.job(key).map(JobView::uid).orElse(recovery.spec().jobUid());
        events.refused(key, uid, Reason.API_REFUSED, failure.describe());
      }
      throw failed;
    }
  }

  private RecoveryView counted(Supplier<RecoveryView> write) {
    try {
      return write.get();
    } catch (CallException failed) {
      metrics.recoveryNotWritten(failed.answer());
      throw failed;
    }
  }

  /**
   * Writes on nodes what was not accepted before.
   *
   * @return when to retry; empty when nothing is open
   */
  Optional<Duration> retryNodeNotes(JobKey key) {
    return nodeNotes.retry(key);
  }

  /** The job is gone. */
  void forget(JobKey key) {
    unsaved.remove(key);
  }

  /** Stores the next status, then makes it known. */
  RecoveryView move(JobKey key, RecoveryView from, RecoveryStatus next, List<Decision.Note> notes) {
    var move = new UnansweredMoves.Move(from, next, notes);
    RecoveryView stored;
    try {
      stored = save(key, from.with(next));
    } catch (CallException | StaleException unknown) {
      unanswered.add(key, move);
      throw unknown;
    }
    unanswered.drop(key);
    makeKnown(key, move, stored);
    return stored;
  }

  /** Makes known what was stored although the write had no answer that says so. */
  void makeUnansweredKnown(JobKey key) {
    unanswered
        .takeStored(key, state.recoveries(key))
        .ifPresent(found -> makeKnown(key, found.move(), found.recovery()));
  }

  private void makeKnown(JobKey key, UnansweredMoves.Move move, RecoveryView stored) {
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
      metrics.phase(left, Duration.between(since, clock.instant()).toMillis() / 1000.0);
    }
    if (entered == RecoveryPhase.DRAINING && AFTER_DRAINING.contains(left)) {
      inspectors.forget(key);
    }
    String cause = next.cause() == null ? "None" : next.cause().reason();
    Outcome outcome = next.outcome();
    if (entered.isTerminal()) {
      metrics.ended(cause, entered);
      recordIncident(stored);
    }
    if (entered == RecoveryPhase.RECOVERED
        && outcome != null
        && outcome.downtimeSeconds() != null) {
      metrics.downtime(cause, outcome.downtimeSeconds());
      Optional.ofNullable(outcome.lost()).ifPresent(work -> metrics.lost(cause, work));
      Optional.ofNullable(outcome.resume()).ifPresent(metrics::resumed);
    }
    if (next.resumes().size() > last.resumes().size()) {
      metrics.resumed(next.resumes().getLast().result());
    }
    if (saysOfItsNetwork(last, next)) {
      RecoveryStatusBuilder.network(next).map(Condition::getReason).ifPresent(metrics::network);
    }
    move.notes().forEach(note -> recordEvent(key, stored, note));
    stalls.record(last, stored);
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
    nodeNotes.write(
        over.job(),
        status.cause().silentNodes(),
        "note the silence that " + by + " was for",
        node -> gateway.recordIncident(node, by));
  }

  /** Makes something known of a recovery. */
  void recordEvent(JobKey key, RecoveryView recovery, Decision.Note note) {
    gateway.recordEvent(
        new ClusterEvent(
            key,
            recovery.spec().jobUid(),
            note.reason(),
            recovery.name() + ": " + note.text(),
            note.node()));
  }
}
