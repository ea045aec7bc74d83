package dev.rekindle.controller.economics;

import dev.rekindle.api.LoggedSaves;
import dev.rekindle.controller.model.GangSaves;
import dev.rekindle.controller.model.RankView;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A save that should have come by the job's own rhythm and did not. Steps and time must both have
 * gone on for more than twice the longest of the newest intervals: while an evaluation runs, or the
 * job stands, no step is made, and a trainer that saves by the clock makes more steps at times.
 * Both are read off one log, so no clocks of two machines are compared.
 */
public final class OverdueSave {
  /** Fewer intervals than that are no rhythm. */
  public static final int LEAST_INTERVALS = 3;

  /** So many of the longest intervals without a save are too many. */
  public static final int INTERVALS = 2;

  private OverdueSave() {}

  /** The newest save of a rank, or the beginning of its run, and how far it has come since. */
  private record Since(long step, long steps, double seconds) {}

  /**
   * What to say to the owner of the job; empty where a save is not overdue, and where that cannot
   * be said: too few intervals, or steps that are not seen. Pure.
   *
   * @param reports the reports on present pods, of the containers that run now
   * @param former the rhythm of the gang before its last recovery; absent where it is not known
   */
  public static Optional<String> of(List<RankView> reports, @Nullable LoggedSaves former) {
    RankView report =
        GangSaves.report(reports)
            .or(() -> reports.stream().max(Comparator.comparingLong(OverdueSave::steps)))
            .orElse(null);
    if (report == null) {
      return Optional.empty();
    }
    LoggedSaves live = report.saves();
    LoggedSaves rhythm = isRhythm(live) ? live : former;
    Since since = since(report, live);
    if (since == null || rhythm == null || !isRhythm(rhythm)) {
      return Optional.empty();
    }
    long steps = Objects.requireNonNull(rhythm.longestSteps());
    double seconds = Objects.requireNonNull(rhythm.longestSeconds());
    if (since.steps() <= INTERVALS * steps || since.seconds() <= INTERVALS * seconds) {
      return Optional.empty();
    }
    Instant begun = live == null ? null : live.begun();
    return Optional.of(
        ("no checkpoint since step %d: %d steps in %s, and one came every %d steps (%s) at most."
                + " A failure now costs all of these steps. Look at the log of pod %s for an error"
                + " of a save, and at the room on its storage%s")
            .formatted(
                since.step(),
                since.steps(),
                SaveAdvice.time(since.seconds()),
                steps,
                SaveAdvice.time(seconds),
                report.pod(),
                begun == null ? "" : "; a save began at %s and has not ended".formatted(begun)));
  }

  private static long steps(RankView report) {
    return Objects.requireNonNullElse(report.lastStep(), -1L);
  }

  private static boolean isRhythm(@Nullable LoggedSaves saves) {
    return saves != null
        && saves.intervals() >= LEAST_INTERVALS
        && saves.longestSteps() != null
        && saves.longestSteps() > 0
        && saves.longestSeconds() != null;
  }

  private static @Nullable Since since(RankView report, @Nullable LoggedSaves live) {
    Long last = report.lastStep();
    Instant lastTime = report.lastStepTime();
    boolean saved = live != null && live.step() != null && live.time() != null;
    Long from = saved ? Objects.requireNonNull(live).step() : report.firstStep();
    Instant fromTime = saved ? Objects.requireNonNull(live).time() : report.firstStepTime();
    if (last == null || lastTime == null || from == null || fromTime == null) {
      return null;
    }
    return new Since(from, last - from, Duration.between(fromTime, lastTime).toMillis() / 1000.0);
  }
}
