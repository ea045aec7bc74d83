package dev.rekindle.controller.economics;

import dev.rekindle.api.Saves;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What is said to the owner of a job of how it saves. */
public final class SaveAdvice {
  /** Fewer intervals than that say nothing. */
  public static final int LEAST_INTERVALS = 3;

  /** A newest checkpoint that is older than so many intervals is overdue. */
  public static final int OVERDUE = 2;

  private SaveAdvice() {}

  /**
   * One sentence: how often the job saves, how often it should, and what the difference costs.
   *
   * @param saves what was seen of its saves; absent where nothing was
   * @param costs what failures and saves cost it; absent where that is not known
   */
  public static String of(@Nullable Saves saves, @Nullable Economics costs, long gpus) {
    Double interval = saves == null ? null : saves.secondsApart();
    if (saves == null || interval == null || saves.intervals() < LEAST_INTERVALS) {
      return "not enough data: %d intervals between checkpoints were seen, %d are needed"
          .formatted(saves == null ? 0 : saves.intervals(), LEAST_INTERVALS);
    }
    if (costs == null) {
      return "saves every %s; not enough data on failures and on how long a save takes"
          .formatted(time(interval));
    }
    return String.format(
        Locale.ROOT,
        "saves every %s; every %s is best: ETTR %.3f instead of %.3f, %.0f GPU-h per day",
        time(interval),
        time(costs.young()),
        costs.ettr(costs.young()),
        costs.ettr(interval),
        costs.lostGpuHoursPerDay(interval, gpus));
  }

  /** Whether the newest valid checkpoint is older than twice the median interval. */
  public static boolean isOverdue(Saves saves, Instant now) {
    Double interval = saves.secondsApart();
    Instant newest = saves.newestTime();
    return interval != null
        && newest != null
        && saves.intervals() >= LEAST_INTERVALS
        && Duration.between(newest, now).toMillis() > OVERDUE * interval * 1_000;
  }

  private static String time(double seconds) {
    return seconds < 120
        ? "%d s".formatted(Math.round(seconds))
        : "%d min".formatted(Math.round(seconds / 60));
  }
}
