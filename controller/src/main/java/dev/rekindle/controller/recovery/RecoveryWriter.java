package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.telemetry.Metrics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Stores recoveries, and makes known what was stored. */
final class RecoveryWriter {

  private final ClusterState state;
  private final ClusterGateway gateway;
  private final Metrics metrics;
  private final InstantSource clock;
  private final Effects effects;
  private final JobEvents events;
  private final StoredMoves moves;
  private final UnansweredMoves unanswered = new UnansweredMoves();
  private final Takeover takeover = new Takeover();

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
    this.events = events;
    this.moves = new StoredMoves(state, gateway, metrics, clock, inspectors);
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
      takeover.stored(key, stored);
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
      metrics.recoveries().recoveryNotWritten(failed.answer());
      throw failed;
    }
  }

  /**
   * Writes on nodes what was not accepted before.
   *
   * @return when to retry; empty when nothing is open
   */
  Optional<Duration> retryNodeNotes(JobKey key) {
    return moves.retryNodeNotes(key);
  }

  /** The job is gone. */
  void forget(JobKey key) {
    unsaved.remove(key);
  }

  /** Stores the next status, then makes it known. */
  RecoveryView move(JobKey key, RecoveryView from, RecoveryStatus next, List<Decision.Note> notes) {
    RecoveryStatus named = RecoveryStatusBuilder.withEvents(next, notes, clock.instant());
    var move = new UnansweredMoves.Move(from, named, notes);
    RecoveryView stored;
    try {
      stored = save(key, from.with(named));
    } catch (CallException | StaleException unknown) {
      unanswered.add(key, move);
      throw unknown;
    }
    unanswered.drop(key);
    moves.makeKnown(key, move, stored);
    return stored;
  }

  /** Makes known what was stored although the write had no answer that says so. */
  void makeUnansweredKnown(JobKey key) {
    unanswered
        .takeStored(key, state.recoveries(key))
        .ifPresent(
            found -> {
              takeover.stored(key, found.recovery());
              moves.makeKnown(key, found.move(), found.recovery());
            });
  }

  /**
   * Makes known what another process has stored lately and may not have made known. What is there
   * already stays as it is.
   */
  void makeTakenOverKnown(JobKey key) {
    for (Takeover.Missing missing : takeover.take(key, state.recoveries(key), clock.instant())) {
      moves.makeKnown(key, missing);
    }
  }

  /** That was stored, and is made known, elsewhere in this process. */
  void madeKnown(JobKey key, RecoveryView stored) {
    takeover.stored(key, stored);
  }

  /** Records an event on a recovery. */
  void recordEvent(JobKey key, RecoveryView recovery, Decision.Note note) {
    moves.recordEvent(key, recovery, note);
  }
}
