package dev.rekindle.agent.progress;

import dev.rekindle.api.LoggedSaves;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The saves of a container as two agents have seen them, one after the other. */
final class SaveRhythm {
  /** So many intervals of its own make an agent independent of what one before it has seen. */
  static final int ENOUGH = 3;

  private SaveRhythm() {}

  /**
   * The newest save of both, and the intervals of the earlier one until the present one has
   * measured enough of its own. Pure.
   *
   * @param known what the earlier agent, or an earlier round, has written
   * @param seen what the present one has seen; absent where it has seen none
   * @param sameRun whether both are of one run of the container
   */
  static LoggedSaves goingOn(LoggedSaves known, @Nullable LoggedSaves seen, boolean sameRun) {
    if (seen != null && seen.intervals() >= ENOUGH) {
      return seen;
    }
    double blocked = sameRun ? known.blockedSeconds() : 0;
    LoggedSaves rhythm = seen == null || known.intervals() >= seen.intervals() ? known : seen;
    LoggedSaves newest = seen != null && isNewer(seen, known) ? seen : known;
    return new LoggedSaves(
        Math.max(known.saves(), seen == null ? 0 : seen.saves()),
        newest.step(),
        newest.time(),
        rhythm.intervals(),
        rhythm.secondsApart(),
        rhythm.longestSeconds(),
        rhythm.longestSteps(),
        rhythm.secondsLong() == null ? newest.secondsLong() : rhythm.secondsLong(),
        newest.background(),
        Math.max(blocked, seen == null ? 0 : seen.blockedSeconds()),
        seen == null ? null : seen.begun());
  }

  private static boolean isNewer(LoggedSaves one, LoggedSaves other) {
    Instant time = one.time();
    Instant than = other.time();
    return time != null && (than == null || !time.isBefore(than));
  }
}
