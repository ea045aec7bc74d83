package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.recovery.UnansweredMoves.Move;
import dev.rekindle.controller.recovery.UnansweredMoves.Stored;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which of the transitions without an answer was stored. */
class UnansweredMovesTest {
  private static final JobKey KEY = Given.job().view().key();
  private static final RecoveryView BEFORE = recovery(status(RecoveryPhase.RESUMING, 0));
  private static final Move FIRST = move(1);
  private static final Move SECOND = move(2);

  private final UnansweredMoves moves = new UnansweredMoves();

  private static RecoveryView recovery(RecoveryStatus status) {
    return Given.recovery("demo-r1", T0, status);
  }

  private static Move move(int at) {
    return new Move(BEFORE, status(RecoveryPhase.VERIFYING, at), List.of());
  }

  private static RecoveryStatus status(RecoveryPhase phase, int at) {
    Cause cause = new Cause("XID-79", "", List.of(), List.of(), List.of(), List.of(), null);
    return new RecoveryStatus(
        phase, T0.plusSeconds(at), 1, null, cause, null, null, List.of(), List.of());
  }

  @Test
  void shouldWaitWhileTheViewMayBeOlderThanTheWrite() {
    moves.add(KEY, FIRST);

    assertThat(moves.takeStored(KEY, List.of(BEFORE))).isEmpty();

    RecoveryView stored = recovery(FIRST.next());
    assertThat(moves.takeStored(KEY, List.of(stored))).contains(new Stored(FIRST, stored));
  }

  /** The second ended in a conflict with the first. */
  @Test
  void shouldGiveTheOneThatWasStoredOnce() {
    moves.add(KEY, FIRST);
    moves.add(KEY, SECOND);
    RecoveryView stored = recovery(FIRST.next());

    assertThat(moves.takeStored(KEY, List.of(stored))).contains(new Stored(FIRST, stored));
    assertThat(moves.takeStored(KEY, List.of(stored))).isEmpty();
  }

  @Test
  void shouldDropThoseOfARecoveryThatIsGoneOrHasEndedOtherwise() {
    moves.add(KEY, FIRST);
    assertThat(moves.takeStored(KEY, List.of())).isEmpty();
    assertThat(moves.takeStored(KEY, List.of(recovery(FIRST.next())))).isEmpty();

    moves.add(KEY, FIRST);
    RecoveryView cancelled = recovery(status(RecoveryPhase.CANCELLED, 3));
    assertThat(moves.takeStored(KEY, List.of(cancelled))).isEmpty();
    assertThat(moves.takeStored(KEY, List.of(recovery(FIRST.next())))).isEmpty();
  }

  @Test
  void shouldKeepTheLastEight() {
    for (int at = 1; at <= 9; at++) {
      moves.add(KEY, move(at));
    }

    assertThat(moves.takeStored(KEY, List.of(recovery(FIRST.next())))).isEmpty();
    assertThat(moves.takeStored(KEY, List.of(recovery(move(9).next())))).isPresent();
  }
}
