package dev.rekindle.simulator.replay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keeps account of what a job did with its time. It takes how training stands whenever that
 * changes, and derives the rest: steps that count once, steps made again, time without steps and
 * how much of it passed because too few nodes were left.
 *
 * <p>Times are from the beginning of the trace, at which the job trains.
 */
final class Timeline {
  /** What the job does. */
  enum State {
    TRAINING,
    DOWN,
    /** Down while fewer nodes are good than the job needs. */
    SHORT_OF_NODES
  }

  /**
   * A piece of time.
   *
   * @param start its begin
   * @param end its end
   * @param state what the job did
   */
  record Piece(Duration start, Duration end, State state) {
    Duration length() {
      return end.minus(start);
    }
  }

  /**
   * A time during which the job made no steps.
   *
   * @param start when steps stood, from the beginning of the trace
   * @param end when they continued; the end of the trace when they did not
   * @param over whether they continued
   * @param cause the first fault that explains it; absent when none does
   */
  record Stop(Duration start, Duration end, boolean over, @Nullable FaultKind cause) {
    Duration length() {
      return end.minus(start);
    }

    /** The word of its cause, or {@code no fault}. */
    String word() {
      return cause == null ? "no fault" : cause.word;
    }

    /** When the controller, or a person, began to act on it; absent when neither did. */
    Optional<Duration> acted(List<Duration> actions) {
      return actions.stream()
          .filter(at -> at.compareTo(start) >= 0 && at.compareTo(end) <= 0)
          .findFirst();
    }
  }

  /**
   * What came of it.
   *
   * @param pieces what the job did, in order
   * @param stops times without steps
   * @param productive steps that count, each once
   * @param made steps made, those made again included
   * @param checkpoints checkpoints written, those that were thrown away included
   */
  record Account(
      List<Piece> pieces, List<Stop> stops, long productive, long made, long checkpoints) {
    /** Steps that were made again. */
    long lost() {
      return made - productive;
    }

    /** All time in a state. */
    Duration in(State state) {
      return pieces.stream()
          .filter(piece -> piece.state() == state)
          .map(Piece::length)
          .reduce(Duration.ZERO, Duration::plus);
    }
  }

  private final long firstStep;
  private final int stepsPerCheckpoint;
  private final List<Piece> pieces = new ArrayList<>();
  private final List<Stop> stops = new ArrayList<>();

  private boolean moving = true;
  private boolean shortOfNodes;
  private Duration pieceStart = Duration.ZERO;
  private Duration stopStart = Duration.ZERO;
  private long newest;
  private long begun;
  private long made;
  private long checkpoints;
  private @Nullable FaultKind cause;

  Timeline(long firstStep, int stepsPerCheckpoint) {
    this.firstStep = firstStep;
    this.stepsPerCheckpoint = stepsPerCheckpoint;
    this.newest = firstStep;
    this.begun = firstStep;
  }

  /** A fault hit the job: it explains the stop that is, or else the next. */
  void fault(FaultKind kind) {
    if (cause == null) {
      cause = kind;
    }
  }

  /** Training stands so now. */
  void update(Duration now, boolean nowMoving, long step) {
    if (moving) {
      boolean back = step < newest;
      newest = Math.max(step, newest);
      if (!nowMoving || back) {
        cut(now);
        count(newest);
        moving = false;
        stopStart = now;
      }
    }
    if (!moving && nowMoving) {
      cut(now);
      stops.add(new Stop(stopStart, now, true, cause));
      cause = null;
      moving = true;
      newest = step;
      begun = step;
    }
  }

  /** Fewer nodes are good than the job needs, or enough again. */
  void shortOfNodes(Duration now, boolean nowShort) {
    if (nowShort != shortOfNodes) {
      cut(now);
      shortOfNodes = nowShort;
    }
  }

  /** The trace is over. */
  Account end(Duration now, boolean nowMoving, long step) {
    update(now, nowMoving, step);
    cut(now);
    if (moving) {
      count(newest);
    } else {
      stops.add(new Stop(stopStart, now, false, cause));
    }
    return new Account(
        List.copyOf(pieces), List.copyOf(stops), newest - firstStep, made, checkpoints);
  }

  private void count(long step) {
    made += step - begun;
    checkpoints += step / stepsPerCheckpoint - begun / stepsPerCheckpoint;
    begun = step;
  }

  private void cut(Duration now) {
    if (now.compareTo(pieceStart) > 0) {
      State standing = shortOfNodes ? State.SHORT_OF_NODES : State.DOWN;
      pieces.add(new Piece(pieceStart, now, moving ? State.TRAINING : standing));
      pieceStart = now;
    }
  }
}
