package dev.rekindle.detect.agent;

import dev.rekindle.api.RankReportStatus;
import dev.rekindle.api.RankReportStatus.RestartAsked;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.progress.PodProgress;
import dev.rekindle.detect.progress.Progress;
import dev.rekindle.detect.progress.StepPattern;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One pod that is followed: how far it has come, and what its report says of that. */
final class FollowedPod {
  private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
  private static final Duration LAST_RETRY = Duration.ofSeconds(30);

  final TrainingPod pod;
  final PodProgress log;
  private StepPattern pattern;
  private @Nullable Progress written;
  private String writtenMessage = "";
  private boolean writtenAsked;
  private Instant next = Instant.MIN;
  private Duration retry = FIRST_RETRY;
  private boolean failed;
  private String logProblem = "";

  FollowedPod(TrainingPod pod, PodProgress log, StepPattern pattern) {
    this.pod = pod;
    this.log = log;
    this.pattern = pattern;
  }

  /** Takes what the job says now. */
  void use(StepPattern other) {
    pattern = other;
    log.use(other);
  }

  /** Notes why the log cannot be read; empty when it can. */
  void logProblem(String problem) {
    logProblem = problem;
  }

  /**
   * Whether the report is to be written now: at once when it would tell of another run of the
   * container, of its first step or of the first restart that it asks for, else when its time has
   * come. Of a pod that has finished only what is new is told.
   */
  boolean isDue(Instant now, boolean finished) {
    var before = written;
    var progress = log.progress();
    if (!now.isBefore(next)) {
      return !finished || !progress.equals(before);
    }
    return !failed
        && (before == null
            || before.run() != progress.run()
            || !Objects.equals(before.firstStep(), progress.firstStep())
            || (log.asked() != null && !writtenAsked)
            || !writtenMessage.equals(message()));
  }

  /** What the report is to say. */
  RankReportStatus status(Instant now) {
    var progress = log.progress();
    return new RankReportStatus(
        progress.run(),
        progress.firstStep(),
        progress.firstStepTime(),
        progress.lastStep(),
        progress.lastStepTime(),
        now,
        message(),
        asked());
  }

  private @Nullable RestartAsked asked() {
    var asked = log.asked();
    return asked == null
        ? null
        : new RestartAsked(asked.reason(), asked.beforeStep(), asked.time());
  }

  private String message() {
    if (!pattern.problem().isEmpty()) {
      return pattern.problem();
    }
    return logProblem;
  }

  void written(Instant now, Duration interval, Progress progress) {
    written = progress;
    writtenMessage = message();
    writtenAsked = log.asked() != null;
    next = now.plus(interval);
    retry = FIRST_RETRY;
    failed = false;
  }

  void failed(Instant now) {
    failed = true;
    next = now.plus(retry);
    retry = retry.multipliedBy(2).compareTo(LAST_RETRY) < 0 ? retry.multipliedBy(2) : LAST_RETRY;
  }
}
