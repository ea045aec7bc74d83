package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.recovery.Decision.Note;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * What every phase does to a recovery: it reads the stored status, enters another phase, holds the
 * recovery or ends it.
 */
final class Transitions {
  static final Duration SOON = Duration.ofMillis(250);

  static final Duration LATER = Duration.ofSeconds(5);

  private Transitions() {}

  /** The attempt id that pods of the attempt carry. */
  static String attemptId(RecoverySnapshot s) {
    return attemptId(s.recovery());
  }

  /** The same, of a recovery with a status. */
  static String attemptId(RecoveryView recovery) {
    return recovery.name() + "-" + Objects.requireNonNull(recovery.status()).attempt();
  }

  /**
   * Enters Held once; later the same call only waits, and renews what the hold says. What is held
   * continues by itself when the phase lets it.
   */
  static Decision hold(RecoverySnapshot s, HoldReason reason, String text, Instant now) {
    String why = reason.word() + ": " + text;
    boolean already =
        status(s).phase() == RecoveryPhase.HELD
            && HoldReason.of(status(s)).map(reason::equals).orElse(true);
    if (!already) {
      return new Decision.Move(
          RecoveryStatusBuilder.hold(status(s), reason, why, now),
          List.of(new Note(Reason.RECOVERY_HELD, why, "")));
    }
    return HoldText.renewed(status(s), reason, why, now)
        .<Decision>map(next -> new Decision.Move(next, List.of()))
        .orElseGet(() -> new Decision.Wait(why, LATER));
  }

  /** Enters the phase. */
  static Decision enter(RecoverySnapshot s, RecoveryPhase phase, String detail, Instant now) {
    return new Decision.Move(RecoveryStatusBuilder.enter(status(s), phase, detail, now), List.of());
  }

  /** Enters a phase in which the recovery is over. */
  static Decision end(RecoverySnapshot s, RecoveryPhase phase, String why, Instant now) {
    Reason reason =
        phase == RecoveryPhase.CANCELLED ? Reason.RECOVERY_CANCELLED : Reason.RECOVERY_FAILED;
    return new Decision.Move(
        RecoveryStatusBuilder.enter(PlannedRollBack.orNot(s), phase, why, now),
        List.of(new Note(reason, why, "")));
  }

  /** The phase whose rules apply: a held recovery is judged by the phase it is held from. */
  static RecoveryPhase phase(RecoveryView recovery) {
    RecoveryStatus status = Objects.requireNonNull(recovery.status());
    RecoveryPhase phase = Objects.requireNonNull(status.phase());
    return phase == RecoveryPhase.HELD ? Objects.requireNonNull(status.heldFrom()) : phase;
  }

  static RecoveryPhase phase(RecoverySnapshot s) {
    return phase(s.recovery());
  }

  /** The stored status. */
  static RecoveryStatus status(RecoverySnapshot s) {
    return Objects.requireNonNull(s.recovery().status());
  }

  /** What the recovery is for. */
  static Cause cause(RecoverySnapshot s) {
    return cause(status(s));
  }

  static Cause cause(RecoveryStatus status) {
    return Objects.requireNonNull(status.cause());
  }

  /** How long it has been in its phase. */
  static Duration inPhase(RecoverySnapshot s, Instant now) {
    return Duration.between(Objects.requireNonNullElse(status(s).phaseSince(), now), now);
  }
}
