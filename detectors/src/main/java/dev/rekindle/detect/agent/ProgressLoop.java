package dev.rekindle.detect.agent;

import dev.rekindle.detect.ApiErrors;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.progress.PodProgress;
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
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the logs of the opted-in pods of this node and keeps their reports. One call of {@link
 * #tick} does one round; no failure of one pod reaches another.
 */
final class ProgressLoop {
  /** From round to round. */
  static final Duration TICK = Duration.ofMillis(200);

  private static final Logger LOG = LoggerFactory.getLogger(ProgressLoop.class);

  private final Path podLogs;
  private final Duration interval;
  private final InstantSource clock;
  private final Supplier<Collection<TrainingPod>> pods;
  private final JobLookup jobs;
  private final ReportWriter reports;
  private final AgentMetrics metrics;
  private final Map<String, FollowedPod> followed = new HashMap<>();
  private volatile int followedCount;

  ProgressLoop(
      Path podLogs,
      Duration interval,
      InstantSource clock,
      Supplier<Collection<TrainingPod>> pods,
      JobLookup jobs,
      ReportWriter reports,
      AgentMetrics metrics) {
    this.podLogs = podLogs;
    this.interval = interval;
    this.clock = clock;
    this.pods = pods;
    this.jobs = jobs;
    this.reports = reports;
    this.metrics = metrics;
  }

  /** How many pods are followed; may be called from any thread. */
  int followed() {
    return followedCount;
  }

  void tick() {
    var now = pods.get();
    var uids = now.stream().map(TrainingPod::uid).collect(Collectors.toSet());
    followed.values().removeIf(one -> !uids.contains(one.pod.uid()) && close(one));
    for (var pod : now) {
      try {
        work(pod);
      } catch (RuntimeException e) {
        LOG.atError()
            .addKeyValue("namespace", pod.namespace())
            .addKeyValue("pod", pod.name())
            .setCause(e)
            .log("A pod could not be followed in this round");
      }
    }
    reports.keep(uids);
    jobs.keep(new HashSet<>(now));
    followedCount = followed.size();
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
              pod, new PodProgress(pod.logs(podLogs), settings.pattern()), settings.pattern());
      followed.put(pod.uid(), one);
    }
    one.use(settings.pattern());
    read(one);
    var now = clock.instant();
    if (one.isDue(now, pod.finished())) {
      write(one, settings.interval(interval));
    }
  }

  private static void read(FollowedPod one) {
    try {
      one.log.poll();
      one.logProblem("");
    } catch (NoSuchFileException notStarted) {
      one.logProblem("the container has no log on this node yet");
    } catch (IOException e) {
      one.logProblem("the log of the container cannot be read: " + e.getClass().getSimpleName());
    }
  }

  private void write(FollowedPod one, Duration pace) {
    var progress = one.log.progress();
    try {
      reports.write(one.pod, one.status(clock.instant()));
      one.written(clock.instant(), pace, progress);
      metrics.report();
    } catch (KubernetesClientException e) {
      one.failed(clock.instant());
      metrics.writeFailed("RankReport");
      LOG.atWarn()
          .addKeyValue("namespace", one.pod.namespace())
          .addKeyValue("pod", one.pod.name())
          .addKeyValue("error", ApiErrors.describe(e))
          .log("A RankReport cannot be written; trying again");
    }
  }

  private static boolean close(FollowedPod one) {
    try {
      one.log.close();
    } catch (IOException e) {
      LOG.atDebug().addKeyValue("pod", one.pod.name()).setCause(e).log("Closing a log failed");
    }
    return true;
  }
}
