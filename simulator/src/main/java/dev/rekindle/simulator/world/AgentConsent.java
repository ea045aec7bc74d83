package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.restart.RestartConsent;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What one agent's process has read of the jobs of its pods, some time ago. */
final class AgentConsent implements RestartConsent {
  private static final Duration RECHECK = Duration.ofSeconds(30);
  private static final Duration RETRY = Duration.ofSeconds(5);

  private record Known(Optional<Boolean> allowed, Instant next) {}

  private final World world;
  private final AgentCalls calls;
  private final Map<JobKey, Known> jobs = new HashMap<>();

  AgentConsent(World world, AgentCalls calls) {
    this.world = world;
    this.calls = calls;
  }

  /** It follows this pod, and so has read its job. */
  void read(TrainingPod pod) {
    JobKey key = key(pod);
    jobs.put(key, new Known(Optional.of(allowed(key)), world.now().plus(RECHECK)));
  }

  @Override
  public Optional<Boolean> of(TrainingPod pod) {
    JobKey key = key(pod);
    Known known = jobs.get(key);
    if (known == null || !world.now().isBefore(known.next())) {
      Optional<Boolean> before = known == null ? Optional.empty() : known.allowed();
      try {
        known =
            new Known(
                Optional.of(calls.answered(() -> allowed(key), /* write= */ false)),
                world.now().plus(RECHECK));
      } catch (KubernetesClientException unanswered) {
        known = new Known(before, world.now().plus(RETRY));
      }
      jobs.put(key, known);
    }
    return known.allowed();
  }

  private static JobKey key(TrainingPod pod) {
    return new JobKey(pod.namespace(), pod.job());
  }

  private boolean allowed(JobKey key) {
    return world
        .jobs()
        .find(key.toString())
        .filter(job -> job.optIn() instanceof OptIn.Yes yes && yes.mode() != Mode.OBSERVE)
        .isPresent();
  }
}
