package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartWay;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What tests read off a move to another phase. */
final class Decisions {
  private Decisions() {}

  /** The phase that is entered. */
  static RecoveryPhase entered(Decision decision) {
    if (decision instanceof Decision.Move move) {
      return Objects.requireNonNull(move.next().phase());
    }
    throw new AssertionError("no move: " + decision);
  }

  /** How the gang is restarted. */
  static @Nullable RestartWay way(Decision decision) {
    return Objects.requireNonNull(((Decision.Move) decision).next().plan()).restart();
  }

  /** Why it is restarted so. */
  static String restartReason(Decision decision) {
    return Objects.requireNonNull(((Decision.Move) decision).next().plan()).restartReason();
  }

  /** The newest entry of the timeline. */
  static String detail(Decision decision) {
    return ((Decision.Move) decision).next().timeline().getLast().detail();
  }
}
