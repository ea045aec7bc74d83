package dev.rekindle.detect.agent;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Settings of jobs, read one by one as their pods show up, and again after a while. */
final class JobLookup {
  static final Duration RECHECK = Duration.ofSeconds(30);
  static final Duration RETRY = Duration.ofSeconds(5);

  private static final ResourceDefinitionContext PYTORCH_JOB =
      new ResourceDefinitionContext.Builder()
          .withGroup("kubeflow.org")
          .withVersion("v1")
          .withKind("PyTorchJob")
          .withPlural("pytorchjobs")
          .withNamespaced(true)
          .build();

  private static final Logger LOG = LoggerFactory.getLogger(JobLookup.class);

  private final KubernetesClient client;
  private final InstantSource clock;
  private final Map<Key, Known> jobs = new HashMap<>();

  JobLookup(KubernetesClient client, InstantSource clock) {
    this.client = client;
    this.clock = clock;
  }

  private record Key(String namespace, String name) {}

  private record Known(JobSettings settings, Instant next) {}

  /** Settings of a pod's job; those of the last look while it cannot be read. */
  JobSettings of(TrainingPod pod) {
    var key = new Key(pod.namespace(), pod.job());
    var now = clock.instant();
    var known = jobs.get(key);
    if (known == null || !now.isBefore(known.next())) {
      known = read(key, now, known == null ? JobSettings.NONE : known.settings());
      jobs.put(key, known);
    }
    return known.settings();
  }

  /** Forgets every job that none of these pods belongs to. */
  void keep(Set<TrainingPod> pods) {
    jobs.keySet()
        .removeIf(
            key ->
                pods.stream()
                    .noneMatch(
                        pod ->
                            pod.namespace().equals(key.namespace())
                                && pod.job().equals(key.name())));
  }

  private Known read(Key key, Instant now, JobSettings before) {
    try {
      var job =
          client
              .genericKubernetesResources(PYTORCH_JOB)
              .inNamespace(key.namespace())
              .withName(key.name())
              .get();
      return new Known(
          job == null ? JobSettings.NONE : JobSettings.of(job.getMetadata()), now.plus(RECHECK));
    } catch (KubernetesClientException e) {
      LOG.atWarn()
          .addKeyValue("namespace", key.namespace())
          .addKeyValue("job", key.name())
          .addKeyValue("error", e.getMessage())
          .log("The job of a pod cannot be read; trying again");
      return new Known(before, now.plus(RETRY));
    }
  }
}
