package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.Reason;
import java.time.Duration;
import java.util.List;

/** The next step of a recovery. */
public sealed interface Decision {
  /** Persist this status, then announce; nothing else happens before it is stored. */
  record Move(RecoveryStatus next, List<Note> notes) implements Decision {}

  /**
   * Carry out effects that the stored phase calls for, then reconcile again.
   *
   * @param effects side by side
   * @param then side by side, and only once the API server has accepted all of the others that the
   *     recovery cannot continue without
   */
  record Act(List<Effect> effects, List<Effect> then, Duration recheck) implements Decision {
    public Act {
      effects = List.copyOf(effects);
      then = List.copyOf(then);
    }

    /** With nothing to follow. */
    public Act(List<Effect> effects, Duration recheck) {
      this(effects, List.of(), recheck);
    }
  }

  /** Nothing to do until something changes or the time has come. */
  record Wait(String why, Duration recheck) implements Decision {}

  /**
   * Something to announce once the move is stored.
   *
   * @param reason event reason
   * @param text what to say
   * @param node the node concerned, empty when none
   */
  record Note(Reason reason, String text, String node) {}
}
