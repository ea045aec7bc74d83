package dev.rekindle.agent.progress;

import dev.rekindle.agent.pods.ApiPause;
import dev.rekindle.agent.pods.JobLookup;
import dev.rekindle.agent.telemetry.AgentMetrics;
import dev.rekindle.detect.ApiErrors;
import dev.rekindle.detect.evidence.PodLines;
import dev.rekindle.detect.evidence.RankWitnesses;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.progress.StepPattern;
import dev.rekindle.detect.progress.TrainingLog;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the logs of the opted-in pods of this node and keeps their reports. One call of {@link
 * #tick} does one round; no failure of one pod reaches another. What a pod prints is a tenant's
 * input: where reading it throws, that pod is not read any more, and its report has the reason.
 */
public final class ProgressLoop {
  /** From round to round. */
  public static final Duration TICK = Duration.ofMillis(200);

  private static final Logger LOG = LoggerFactory.getLogger(ProgressLoop.class);

  private final Path podLogs;
  private final Duration interval;
  private final InstantSource clock;
  private final InstantSource steady;
  private final Supplier<Collection<TrainingPod>> pods;
  private final JobLookup jobs;
  private final ApiPause pause;
  private final ReportWriter reports;
  private final AgentMetrics metrics;
  private final RankWitnesses witnesses;
  private final PodLines lines;
  private final Map<String, FollowedPod> followed = new HashMap<>();
  private final BiFunction<Path, StepPattern, TrainingLog> opener;
  private volatile int followedCount;
  private volatile int unreadCount;

  /**
   * A loop that follows no pod yet.
   *
   * @param podLogs the kubelet's pod logs
   * @param interval how often a report is refreshed
   * @param clock the wall clock, for reports
   * @param steady a clock that never steps, for intervals
   * @param pods training pods of the node, as of now
   * @param pause while it lasts nothing is written
   * @param witnesses what the ranks of a pod would show; asked when its report is written, and
   *     never else
   * @param lines gets what the logs say of ranks that wait
   */
  public ProgressLoop(
      Path podLogs,
      Duration interval,
      InstantSource clock,
      InstantSource steady,
      Supplier<Collection<TrainingPod>> pods,
      JobLookup jobs,
      ApiPause pause,
      ReportWriter reports,
      AgentMetrics metrics,
      RankWitnesses witnesses,
      PodLines lines,
      BiFunction<Path, StepPattern, TrainingLog> opener) {
    this.podLogs = podLogs;
    this.interval = interval;
    this.clock = clock;
    this.steady = steady;
    this.pods = pods;
    this.jobs = jobs;
    this.pause = pause;
    this.reports = reports;
    this.metrics = metrics;
    this.witnesses = witnesses;
    this.lines = lines;
    this.opener = opener;
  }

  /** How many pods are followed; may be called from any thread. */
  public int followed() {
    return followedCount;
  }

  /** How many of them are not read any more; may be called from any thread. */
  public int unread() {
    return unreadCount;
  }

  /** Reads what the logs say by now, and reports what is due. */
  public void tick() {
    var now = PodSelection.of(pods.get());
    var uids = now.stream().map(TrainingPod::uid).collect(Collectors.toSet());
    followed.values().removeIf(one -> !uids.contains(one.pod.uid()) && close(one));
    for (var pod : now) {
      try {
        work(pod);
      } catch (RuntimeException | Error e) {
        LOG.atError()
            .addKeyValue(LogKey.NAMESPACE.key(), pod.namespace())
            .addKeyValue(LogKey.POD.key(), pod.name())
            .setCause(e)
            .log("Cannot read the log of a pod; retrying");
      }
    }
    reports.keep(uids);
    witnesses.retain(uids);
    lines.retain(uids);
    jobs.keep(new HashSet<>(now));
    followedCount = followed.size();
    unreadCount = (int) followed.values().stream().filter(FollowedPod::isGivenUp).count();
  }

  private void work(TrainingPod pod) {
    var settings = jobs.of(pod);
    var one = followed.get(pod.uid());
    if (!settings.optedIn()) {
      if (one != null) {
        close(one);
        followed.remove(pod.uid());
      }
      return;
    }
    if (one == null) {
      one =
          new FollowedPod(
              pod, opener.apply(pod.logs(podLogs), settings.pattern()), settings.pattern());
      followed.put(pod.uid(), one);
    }
    one.use(settings.pattern());
    if (!one.isGivenUp()) {
      read(one);
    }
    if (one.isDue(steady.instant(), pod.finished()) && !pause.isOn()) {
      write(one, pod, settings.interval(interval));
    }
  }

  private void read(FollowedPod one) {
    var now = clock.instant();
    try {
      one.log.poll();
      lines.keep(one.pod.uid(), one.log.said());
      one.polled(now, steady.instant(), "");
    } catch (NoSuchFileException notStarted) {
      one.polled(now, steady.instant(), FollowedPod.NO_LOG);
    } catch (IOException e) {
      one.polled(
          now,
          steady.instant(),
          "the log of the container cannot be read: " + e.getClass().getSimpleName());
    } catch (RuntimeException | Error e) {
      // Read again it would be the same, five times a second.
      one.giveUp(
          "the log of the container is not read any more, as that failed with "
              + e.getClass().getSimpleName());
      LOG.atError()
          .addKeyValue(LogKey.NAMESPACE.key(), one.pod.namespace())
          .addKeyValue(LogKey.POD.key(), one.pod.name())
          .setCause(e)
          .log("Reading the log of a pod failed; giving up on this pod");
    }
  }

  /**
   * Writes the report of a pod.
   *
   * @param pod as it is now: its container may be another than when it was first followed
   */
  private void write(FollowedPod one, TrainingPod pod, Duration pace) {
    var progress = one.log.progress();
    var found = witnesses.of(pod, progress.lastStep() != null);
    try {
      reports.write(pod, one.status(found));
      one.written(steady.instant(), pace, progress);
      metrics.report();
    } catch (KubernetesClientException e) {
      pause.failed(e);
      one.failed(steady.instant());
      metrics.writeFailed("RankReport");
      LOG.atWarn()
          .addKeyValue(LogKey.NAMESPACE.key(), one.pod.namespace())
          .addKeyValue(LogKey.POD.key(), one.pod.name())
          .addKeyValue(LogKey.ERROR.key(), ApiErrors.describe(e))
          .log("Cannot write a RankReport; retrying");
    }
  }

  private static boolean close(FollowedPod one) {
    try {
      one.log.close();
    } catch (IOException e) {
      LOG.atDebug()
          .addKeyValue(LogKey.POD.key(), one.pod.name())
          .setCause(e)
          .log("Closing a log failed");
    }
    return true;
  }
}
