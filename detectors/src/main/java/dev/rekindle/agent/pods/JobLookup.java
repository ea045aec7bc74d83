package dev.rekindle.agent.pods;

import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.kubeflow.v1.PyTorchJob;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settings of jobs, read one by one as their pods show up, and again after a while. Used by several
 * threads: none waits for a call of another.
 */
public final class JobLookup {
  static final Duration RECHECK = Duration.ofSeconds(30);

  /** Until a job that could not be read is read again. */
  public static final Duration RETRY = Duration.ofSeconds(5);

  private static final ResourceDefinitionContext PYTORCH_JOB =
      ResourceDefinitionContext.fromResourceType(PyTorchJob.class);

  private static final Logger LOG = LoggerFactory.getLogger(JobLookup.class);

  private final KubernetesClient client;
  private final InstantSource clock;
  private final ApiPause pause;
  private final Map<Key, Known> jobs = new ConcurrentHashMap<>();

  /**
   * A lookup that has read no job yet.
   *
   * @param clock a steady clock
   * @param pause while it lasts no job is read
   */
  public JobLookup(KubernetesClient client, InstantSource clock, ApiPause pause) {
    this.client = client;
    this.clock = clock;
    this.pause = pause;
  }

  private static final Known NOTHING = new Known(JobSettings.NONE, false, Instant.MIN);

  private record Key(String namespace, String name) {}

  /** What is known of a job, and whether it could be read at all. */
  private record Known(JobSettings settings, boolean read, Instant next) {}

  /** Settings of a pod's job; those read last while it cannot be read. */
  public JobSettings of(TrainingPod pod) {
    return lookUp(pod).settings();
  }

  /** Settings of a pod's job as read before, or now; empty while it was never read. */
  public Optional<JobSettings> known(TrainingPod pod) {
    var known = jobs.get(new Key(pod.namespace(), pod.job()));
    if (known == null || !known.read()) {
      known = lookUp(pod);
    }
    return known.read() ? Optional.of(known.settings()) : Optional.empty();
  }

  /** What a pod's job belongs to; empty where it is not known now. */
  public String owner(TrainingPod pod) {
    return known(pod).map(JobSettings::owner).orElse("");
  }

  private Known lookUp(TrainingPod pod) {
    var key = new Key(pod.namespace(), pod.job());
    var now = clock.instant();
    var known = jobs.get(key);
    if (pause.isOn()) {
      return known == null ? NOTHING : known;
    }
    if (known == null || !now.isBefore(known.next())) {
      known = read(key, now, known == null ? NOTHING : known);
      jobs.put(key, known);
    }
    return known;
  }

  /** Forgets every job that none of these pods belongs to. */
  public void keep(Set<TrainingPod> pods) {
    var keys =
        pods.stream()
            .map(pod -> new Key(pod.namespace(), pod.job()))
            .collect(Collectors.toUnmodifiableSet());
    jobs.keySet().retainAll(keys);
  }

  private Known read(Key key, Instant now, Known before) {
    try {
      var job =
          client
              .genericKubernetesResources(PYTORCH_JOB)
              .inNamespace(key.namespace())
              .withName(key.name())
              .get();
      return new Known(
          job == null ? JobSettings.NONE.withOwner(before.settings().owner()) : JobSettings.of(job),
          true,
          now.plus(RECHECK));
    } catch (KubernetesClientException e) {
      pause.failed(e);
      LOG.atWarn()
          .addKeyValue(LogKey.JOB.key(), key.namespace() + "/" + key.name())
          .addKeyValue(LogKey.ERROR.key(), e.getMessage())
          .log("Cannot read the job of a pod; retrying");
      return new Known(before.settings(), before.read(), now.plus(RETRY));
    }
  }
}
