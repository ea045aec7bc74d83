package dev.rekindle.detect.restart;

import dev.rekindle.detect.freeze.Freezer;
import dev.rekindle.detect.freeze.Outcome;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.logging.LogKey;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends what still runs of pods whose object is gone: it was deleted by force while the node was
 * silent, and another generation may be at work elsewhere. A pod that ends in peace has nothing
 * left when its object goes.
 */
final class OrphanReaper {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Logger LOG = LoggerFactory.getLogger(OrphanReaper.class);

  private final RestartConsent jobs;
  private final Freezer freezer;
  private final RestartMetrics metrics;
  private final Map<TrainingPod, Instant> left = new HashMap<>();

  OrphanReaper(RestartConsent jobs, Freezer freezer, RestartMetrics metrics) {
    this.jobs = jobs;
    this.freezer = freezer;
    this.metrics = metrics;
  }

  void add(TrainingPod pod, Instant now) {
    if (!pod.container().id().isEmpty()) {
      left.putIfAbsent(pod, now);
    }
  }

  /** Works on all of them; says whether some are left. */
  boolean work(Instant now) {
    left.entrySet().removeIf(entry -> isDone(entry.getKey(), entry.getValue(), now));
    return !left.isEmpty();
  }

  private boolean isDone(TrainingPod pod, Instant since, Instant now) {
    String problem;
    try {
      var id = pod.container().id();
      if (!freezer.hasProcesses(id)) {
        return true;
      }
      var allowed = jobs.of(pod);
      if (allowed.isPresent() && !allowed.get()) {
        return true;
      }
      if (allowed.isPresent()) {
        LOG.atWarn()
            .addKeyValue(LogKey.NAMESPACE.key(), pod.namespace())
            .addKeyValue(LogKey.POD.key(), pod.name())
            .addKeyValue(LogKey.CONTAINER.key(), id)
            .log("Pod deleted but its processes still run; killing them");
        if (freezer.kill(id) != Outcome.NOT_YET) {
          metrics.killed();
          return true;
        }
      }
      problem = "they do not end";
    } catch (IOException | RuntimeException e) {
      problem = e.toString();
    }
    if (since.plus(LIMIT).isAfter(now)) {
      return false;
    }
    LOG.atError()
        .addKeyValue(LogKey.NAMESPACE.key(), pod.namespace())
        .addKeyValue(LogKey.POD.key(), pod.name())
        .addKeyValue(LogKey.ERROR.key(), problem)
        .log("Processes of a deleted pod left to the kubelet");
    return true;
  }
}
