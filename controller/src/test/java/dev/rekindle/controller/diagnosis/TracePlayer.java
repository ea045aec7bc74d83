package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;

import dev.rekindle.api.RankReportStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.detect.progress.Pace;
import dev.rekindle.detect.progress.PodProgress;
import dev.rekindle.detect.progress.Progress;
import dev.rekindle.detect.progress.StepPattern;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * Follows the log of rank 0 as its agent does, with a report every five seconds, and asks for the
 * verdict on each report, under the default policy.
 */
final class TracePlayer {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration REPORT = Duration.ofSeconds(5);
  private static final List<PodView> PODS = gang("a");

  private TracePlayer() {}

  /**
   * A line of a container's log.
   *
   * @param millis when, from the start of the trace
   * @param text what stands after the time: stream, tag and text
   */
  record Line(long millis, String text) {
    /** One that is whole. */
    static Line of(long millis, String text) {
      return new Line(millis, "stdout F " + text);
    }
  }

  /**
   * When the verdict was to recover, in milliseconds; negative where it never was.
   *
   * @param lines the log
   * @param until how long it is followed, in milliseconds
   * @param log folder for the log
   */
  static long stalledAt(List<Line> lines, long until, Path log) throws IOException {
    return stalledAt(lines, until, log, _ -> false);
  }

  /**
   * The same for a job whose agents see more than its log.
   *
   * @param compiles whether a rank compiles at that time, in milliseconds: the gang is left alone
   */
  static long stalledAt(List<Line> lines, long until, Path log, LongPredicate compiles)
      throws IOException {
    long[] stoodSince = {0};
    return followed(
            lines,
            until,
            log,
            (progress, now, moved) -> {
              if (moved) {
                stoodSince[0] = now;
              }
              return recovers(progress, now, stoodSince[0]) && !compiles.test(now);
            })
        .stoppedAt();
  }

  /** What an agent has read at the end of the log. */
  static Followed read(List<Line> lines, Path log) throws IOException {
    return followed(lines, lines.getLast().millis() + REPORT.toMillis(), log, (_, _, _) -> false);
  }

  /**
   * The end of a log, as far as it was followed.
   *
   * @param stoppedAt when it was left, in milliseconds; negative where it was not
   */
  record Followed(long stoppedAt, Progress progress, Pace pace) {}

  /** Whether to leave the log after a report. */
  @FunctionalInterface
  private interface Report {
    boolean stops(PodProgress progress, long now, boolean moved);
  }

  private static Followed followed(List<Line> lines, long until, Path log, Report report)
      throws IOException {
    Files.createDirectories(log);
    var file = log.resolve("0.log");
    Files.writeString(file, "");
    int next = 0;
    long stoppedAt = -1;
    try (var progress = new PodProgress(log, StepPattern.byDefault())) {
      for (long now = 0; now <= until && stoppedAt < 0; now += REPORT.toMillis()) {
        var text = new StringBuilder();
        for (; next < lines.size() && lines.get(next).millis() <= now; next++) {
          var line = lines.get(next);
          text.append(START.plusMillis(line.millis()) + " " + line.text() + "\n");
        }
        long before = progress.signs();
        Files.writeString(file, text, StandardOpenOption.APPEND);
        progress.poll();
        if (report.stops(progress, now, progress.signs() != before)) {
          stoppedAt = now;
        }
      }
      return new Followed(stoppedAt, progress.progress(), progress.pace());
    }
  }

  private static boolean recovers(PodProgress log, long now, long stoodSince) {
    Instant at = START.plusMillis(now);
    var p = log.progress();
    var pace = log.pace();
    var reported =
        new RankReportStatus.Pace(
            pace.intervals(),
            pace.ofThisRun(),
            pace.p99Millis(),
            pace.longestMillis(),
            pace.trainedMillis() / 1000,
            (now - stoodSince) / 1000,
            pace.pausing());
    // Rank 0 prints the steps; the agents of the others report that they are there.
    List<RankView> ranks =
        new ArrayList<>(Given.ranks(PODS, null, null, at).stream().skip(1).toList());
    ranks.add(Given.rank(PODS.getFirst(), p.lastStep(), p.lastStepTime(), at).withPace(reported));
    var s = new JobSnapshot(job().view(), PODS, nodes(), List.of(), ranks, List.of());
    return Stalls.stalled(s, Policy.DEFAULT, at)
        .filter(Verdict.Recover.class::isInstance)
        .isPresent();
  }
}
