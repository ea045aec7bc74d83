package dev.rekindle.agent.progress;

import dev.rekindle.api.RankReportStatus;
import dev.rekindle.api.RankReportStatus.LoadError;
import dev.rekindle.api.RankReportStatus.Pace;
import dev.rekindle.api.RankReportStatus.RestartAsked;
import dev.rekindle.api.RankReportStatus.Witnesses;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.progress.LoadErrorLine;
import dev.rekindle.detect.progress.Progress;
import dev.rekindle.detect.progress.StepPattern;
import dev.rekindle.detect.progress.TrainingLog;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One pod that is followed: how far it has come, and what its report says of that. */
final class FollowedPod {
  private static final Duration FIRST_RETRY = Duration.ofSeconds(1);

  /** Lines for so long without a step, or no line: the steps of the job are not recognised. */
  private static final Duration UNHEARD = Duration.ofMinutes(10);

  /** Why a log cannot be read whose container has not started, or never will. */
  static final String NO_LOG = "the container has no log on this node yet";

  private static final Duration LAST_RETRY = Duration.ofSeconds(30);

  final TrainingPod pod;
  final TrainingLog log;
  private StepPattern pattern;
  private @Nullable Progress written;
  private String writtenMessage = "";
  private boolean writtenAsked;
  private @Nullable LoadErrorLine writtenLoadError;
  private boolean writtenNotFinite;
  private String writtenNetwork = "";
  private Instant next = Instant.MIN;
  private Duration retry = FIRST_RETRY;
  private boolean failed;
  private String logProblem = "";
  private @Nullable Instant polled;
  private @Nullable Progress stands;
  private long standsSigns;
  private Instant standsSince = Instant.MIN;
  private Instant steadyLooked = Instant.MIN;
  private boolean givenUp;

  /** Since when the present run of the container prints lines and no step. */
  private @Nullable Instant steplessSince;

  /** Since when it has printed nothing. */
  private @Nullable Instant silentSince;

  private int steplessRun = -1;

  FollowedPod(TrainingPod pod, TrainingLog log, StepPattern pattern) {
    this.pod = pod;
    this.log = log;
    this.pattern = pattern;
  }

  /** Takes what the job says now; another pattern is another try where reading failed. */
  void use(StepPattern other) {
    if (!other.expression().equals(pattern.expression())) {
      givenUp = false;
    }
    pattern = other;
    log.use(other);
  }

  /**
   * Notes that the log was read, and why it cannot be read; empty when it can.
   *
   * @param now the wall clock
   * @param steady a clock that is never set: how long steps stand is measured by it
   */
  void polled(Instant now, Instant steady, String problem) {
    polled = now;
    logProblem = problem;
    steadyLooked = steady;
    lookForStep(steady);
    if (!log.progress().equals(stands) || log.signs() != standsSigns) {
      stands = log.progress();
      standsSigns = log.signs();
      standsSince = steady;
    }
  }

  private void lookForStep(Instant steady) {
    var progress = log.progress();
    if (progress.run() != steplessRun) {
      steplessSince = null;
      silentSince = null;
      steplessRun = progress.run();
    }
    boolean prints = log.lines() > 0;
    boolean heard = progress.lastStep() != null;
    steplessSince = heard || !prints ? null : steplessSince == null ? steady : steplessSince;
    silentSince = heard || prints ? null : silentSince == null ? steady : silentSince;
  }

  private boolean isLong(@Nullable Instant since) {
    return since != null && Duration.between(since, steadyLooked).compareTo(UNHEARD) >= 0;
  }

  /** Notes that what the log holds makes the reading of it fail: it is not read any more. */
  void giveUp(String problem) {
    givenUp = true;
    logProblem = problem;
  }

  boolean isGivenUp() {
    return givenUp;
  }

  /**
   * Whether the report is to be written now: at once when it would report another run of the
   * container, of its first step, of the first restart that it requests, of the first checkpoint
   * that cannot be loaded, of a loss that stays NaN or of a fall back to TCP, else when its time
   * has come. Of a pod that has finished, or is not read any more, only what is new is reported; of
   * one that has finished and never had a log nothing.
   */
  boolean isDue(Instant now, boolean finished) {
    var before = written;
    var progress = log.progress();
    if (before == null && finished && logProblem.equals(NO_LOG)) {
      return false;
    }
    if (!now.isBefore(next)) {
      var news = !progress.equals(before) || !writtenMessage.equals(message());
      return !(finished || givenUp) || news;
    }
    return !failed
        && (before == null
            || before.run() != progress.run()
            || !Objects.equals(before.firstStep(), progress.firstStep())
            || (log.asked() != null && !writtenAsked)
            || isFirstLoadError()
            || (isNotFinite() && !writtenNotFinite)
            || (!network().isEmpty() && writtenNetwork.isEmpty())
            || !writtenMessage.equals(message()));
  }

  /**
   * What the report is to say; that it is not read any more is seen by the time of the last poll.
   */
  RankReportStatus status(Optional<Witnesses> witnesses) {
    var progress = log.progress();
    return new RankReportStatus(
        progress.run(),
        progress.firstStep(),
        progress.firstStepTime(),
        progress.lastStep(),
        progress.lastStepTime(),
        polled,
        message(),
        asked(),
        pace(),
        witnesses.orElse(null),
        loadError(),
        loss(),
        log.saves(),
        log.transport());
  }

  /** A script that loads again and again prints a line for each try: the first one is news. */
  private boolean isFirstLoadError() {
    var line = log.loadError();
    var reported = writtenLoadError;
    return line != null && (reported == null || reported.run() != line.run());
  }

  private @Nullable LoadError loadError() {
    var line = log.loadError();
    return line == null ? null : new LoadError(line.kind(), line.text(), line.run(), line.time());
  }

  private RankReportStatus.@Nullable Loss loss() {
    var loss = log.loss();
    return loss == null
        ? null
        : new RankReportStatus.Loss(loss.value(), loss.notFinite(), loss.before());
  }

  /** Whether so many lines in a row name no number that a resume is held for failed. */
  private boolean isNotFinite() {
    var loss = log.loss();
    return loss != null && loss.notFinite() >= RankReportStatus.Loss.SURE;
  }

  /** What is reported at once of NCCL's network: that a process is on TCP. */
  private String network() {
    var transport = log.transport();
    return transport != null && transport.socketRanks() > 0 ? "Socket" : "";
  }

  private Pace pace() {
    var pace = log.pace();
    return new Pace(
        pace.intervals(),
        pace.ofThisRun(),
        pace.p99Millis(),
        pace.longestMillis(),
        pace.trainedMillis() / 1000,
        stands == null ? 0 : Duration.between(standsSince, steadyLooked).toSeconds(),
        pace.pausing());
  }

  private @Nullable RestartAsked asked() {
    var asked = log.asked();
    return asked == null
        ? null
        : new RestartAsked(asked.reason(), asked.beforeStep(), asked.time());
  }

  private String message() {
    if (!givenUp && !pattern.problem().isEmpty()) {
      return pattern.problem();
    }
    if (!logProblem.isEmpty()) {
      return logProblem;
    }
    if (isLong(steplessSince)) {
      return RankReportStatus.NO_STEP;
    }
    return isLong(silentSince) ? RankReportStatus.NO_LINE : "";
  }

  void written(Instant now, Duration interval, Progress progress) {
    written = progress;
    writtenMessage = message();
    writtenAsked = log.asked() != null;
    writtenLoadError = log.loadError();
    writtenNotFinite = isNotFinite();
    writtenNetwork = network();
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
