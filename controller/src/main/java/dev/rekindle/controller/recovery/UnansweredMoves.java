package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.RecoveryView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Transitions whose write ended without the answer that it was stored. A connection may break after
 * the API server has stored the object, and a second try of the same request then ends in a
 * conflict. The recovery as it is read later shows which of them was stored. Kept in memory alone:
 * of what ends with the process the next one makes Events and notes known by {@link Takeover}.
 */
final class UnansweredMoves {
  /** Each reconcile adds one at most, and a later one that succeeds drops them. */
  private static final int MOST = 8;

  private final Map<JobKey, List<Move>> moves = new ConcurrentHashMap<>();

  /**
   * A transition.
   *
   * @param from the recovery before it
   * @param next the status written
   * @param notes what it makes known
   */
  record Move(RecoveryView from, RecoveryStatus next, List<Decision.Note> notes) {
    private boolean isOf(RecoveryView recovery) {
      return from.uid().equals(recovery.uid());
    }
  }

  /** One whose write failed. */
  void add(JobKey key, Move move) {
    List<Move> kept = new ArrayList<>(of(key));
    kept.add(move);
    moves.put(key, List.copyOf(kept.subList(Math.max(0, kept.size() - MOST), kept.size())));
  }

  /** A later transition of the job was stored. */
  void drop(JobKey key) {
    moves.remove(key);
  }

  /**
   * The one that was stored, with the recovery as stored; given once. Those of a recovery that has
   * ended otherwise, or is gone, are dropped.
   *
   * @param recoveries those of the job, as they are read now
   */
  Optional<Stored> takeStored(JobKey key, Collection<RecoveryView> recoveries) {
    List<Move> left = new ArrayList<>();
    for (Move move : of(key)) {
      Optional<RecoveryView> recovery = recoveries.stream().filter(move::isOf).findFirst();
      if (recovery.isPresent() && move.next().equals(recovery.get().status())) {
        drop(key);
        return Optional.of(new Stored(move, recovery.get()));
      }
      // The view may be older than the write.
      if (recovery.isPresent() && recovery.get().open()) {
        left.add(move);
      }
    }
    if (left.isEmpty()) {
      drop(key);
    } else {
      moves.put(key, List.copyOf(left));
    }
    return Optional.empty();
  }

  private List<Move> of(JobKey key) {
    return moves.getOrDefault(key, List.of());
  }

  /** A transition, and the recovery with it. */
  record Stored(Move move, RecoveryView recovery) {}
}
