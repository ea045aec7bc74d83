package dev.rekindle.controller.recovery;

import dev.rekindle.controller.model.BoundVolume;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The volumes of jobs that nodes are chosen for, as the API server has shown them lately: that is
 * done again and again, and what a bound volume reaches hardly ever changes. What cannot be read,
 * and is asked for a second time where there was no answer, counts as within the reach of all
 * nodes; the scheduler has the last word.
 */
final class JobVolumes {
  private static final Logger LOG = LoggerFactory.getLogger(JobVolumes.class);

  /** A claim may be deleted and created again while its job waits. */
  static final Duration LATELY = Duration.ofMinutes(1);

  /** After a call that got no answer. */
  static final Duration SOON = Duration.ofSeconds(5);

  /** Each is two calls. Those beyond count as within the reach of all nodes. */
  static final int MOST_CLAIMS = 16;

  private final ClusterGateway gateway;
  private final SteadyClock clock;
  private final Map<JobKey, Known> known = new ConcurrentHashMap<>();
  private final AtomicBoolean refused = new AtomicBoolean();

  /**
   * What is known of a job.
   *
   * @param uid its UID
   * @param claims its claims
   * @param volumes those that they are bound to, and that not all nodes reach
   * @param until when they are read again
   */
  private record Known(String uid, List<String> claims, List<BoundVolume> volumes, Instant until) {}

  JobVolumes(ClusterGateway gateway, SteadyClock clock) {
    this.gateway = gateway;
    this.clock = clock;
  }

  /** No nodes are chosen for the job any more. */
  void forget(JobKey key) {
    known.remove(key);
  }

  /**
   * The job with the volumes that its claims are bound to; the same where there is none.
   *
   * @throws CallException where the first call got no answer; the next one is not waited for
   */
  @Nullable JobView bound(@Nullable JobView job) {
    if (job == null) {
      return null;
    }
    List<String> claims =
        job.replicas().stream()
            .flatMap(replica -> replica.needs().claims().stream())
            .distinct()
            .limit(MOST_CLAIMS)
            .toList();
    return claims.isEmpty() ? job : job.withVolumes(of(job, claims));
  }

  private List<BoundVolume> of(JobView job, List<String> claims) {
    Optional<Known> before =
        Optional.ofNullable(known.get(job.key()))
            .filter(k -> k.uid().equals(job.uid()) && k.claims().equals(claims));
    if (before.filter(k -> clock.instant().isBefore(k.until())).isPresent()) {
      return before.get().volumes();
    }
    List<BoundVolume> volumes = new ArrayList<>();
    Duration again = LATELY;
    try {
      for (String claim : claims) {
        gateway.volume(job.key(), claim).ifPresent(volumes::add);
      }
      refused.set(false);
    } catch (CallException | StaleException failed) {
      if (before.isEmpty() && !(failed instanceof RefusedException)) {
        // Most calls without an answer are answered the next time, before anything is chosen.
        known.put(job.key(), new Known(job.uid(), claims, List.of(), clock.instant()));
        throw failed;
      }
      again = failed instanceof RefusedException ? LATELY : SOON;
      say(job, failed);
      volumes = before.map(Known::volumes).orElse(volumes);
    }
    known.put(
        job.key(), new Known(job.uid(), claims, List.copyOf(volumes), clock.instant().plus(again)));
    return volumes;
  }

  /** A refusal is said once: the right is missing for all jobs, and for good. */
  private void say(JobView job, RuntimeException failed) {
    if (failed instanceof RefusedException && refused.getAndSet(true)) {
      return;
    }
    LOG.atWarn()
        .addKeyValue(LogKey.JOB.key(), job.key())
        .addKeyValue(LogKey.ERROR.key(), failed.getMessage())
        .log("Cannot read the volumes of a job; all nodes count as reaching them");
  }
}
