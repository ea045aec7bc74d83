package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.runtime.Backoff;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.api.model.APIGroup;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watch of a kind that many clusters do not have, in the version that the API server prefers.
 * If the kind is missing, nothing is logged, and it is looked for again later.
 */
final class OptionalWatch implements Watch {
  private static final Logger LOG = LoggerFactory.getLogger(OptionalWatch.class);
  private final KubernetesClient client;
  private final Kind kind;
  private final @Nullable Kind with;
  private final String namespace;
  private final Feed<GenericKubernetesResource> feed;
  private final ScheduledExecutorService timer;
  private final Backoff retry;

  private @Nullable Watched<GenericKubernetesResource> watched;
  private boolean missing;
  private boolean closed;
  private int failures;

  /**
   * What is watched.
   *
   * @param lookAgain how long until it is checked for again where it is missing
   */
  record Kind(String group, String plural, String name, boolean namespaced, Duration lookAgain) {
    String fullName() {
      return group.isEmpty() ? plural : plural + "." + group;
    }
  }

  OptionalWatch(
      KubernetesClient client,
      Kind kind,
      Feed<GenericKubernetesResource> feed,
      ScheduledExecutorService timer,
      Backoff retry) {
    this(client, kind, null, "", feed, timer, retry);
  }

  /** The same in one namespace; in all of them where the text is empty. */
  OptionalWatch(
      KubernetesClient client,
      Kind kind,
      String namespace,
      Feed<GenericKubernetesResource> feed,
      ScheduledExecutorService timer,
      Backoff retry) {
    this(client, kind, null, namespace, feed, timer, retry);
  }

  /** The same of a kind that each cluster has in version v1, watched only beside another kind. */
  OptionalWatch(
      KubernetesClient client,
      Kind kind,
      Kind with,
      Feed<GenericKubernetesResource> feed,
      ScheduledExecutorService timer,
      Backoff retry) {
    this(client, kind, with, "", feed, timer, retry);
  }

  private OptionalWatch(
      KubernetesClient client,
      Kind kind,
      @Nullable Kind with,
      String namespace,
      Feed<GenericKubernetesResource> feed,
      ScheduledExecutorService timer,
      Backoff retry) {
    this.client = client;
    this.kind = kind;
    this.with = with;
    this.namespace = namespace;
    this.feed = feed;
    this.timer = timer;
    this.retry = retry;
  }

  @Override
  public void start() {
    after(Duration.ZERO);
  }

  private void after(Duration delay) {
    try {
      // A lookup waits for the API server: never on the thread of the timer.
      var _ =
          timer.schedule(
              () -> Thread.ofVirtual().name("look-up-" + kind.name()).start(this::discover),
              delay.toMillis(),
              TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException shutDown) {
      LOG.atDebug()
          .addKeyValue(LogKey.KIND.key(), kind.name())
          .log("No further discovery: shutting down");
    }
  }

  private void discover() {
    Optional<String> version;
    try {
      version = version();
    } catch (RuntimeException error) {
      // Also where an answer cannot be parsed: without discovery its watch is never synced.
      LOG.atWarn()
          .addKeyValue(LogKey.KIND.key(), kind.name())
          .addKeyValue(LogKey.ERROR.key(), error.toString())
          .log("Cannot discover a kind");
      after(retry.after(failed()));
      return;
    }
    version.ifPresentOrElse(this::watch, this::missing);
  }

  /** How often in a row the kind could not be discovered. */
  private synchronized int failed() {
    failures++;
    return failures;
  }

  private synchronized void missing() {
    failures = 0;
    missing = true;
    if (!closed) {
      LOG.atDebug()
          .addKeyValue(LogKey.KIND.key(), kind.name())
          .log("API server does not have a kind");
      after(kind.lookAgain());
    }
  }

  private synchronized void watch(String version) {
    if (closed) {
      return;
    }
    ResourceDefinitionContext context =
        new ResourceDefinitionContext.Builder()
            .withGroup(kind.group())
            .withVersion(with == null ? version : "v1")
            .withPlural(kind.plural())
            .withKind(kind.name())
            .withNamespaced(kind.namespaced())
            .build();
    watched =
        new Watched<>(
            kind(),
            GenericKubernetesResource::new,
            () -> source(context),
            () -> ObjectWatches.isGone(client, namespace),
            feed,
            timer,
            retry);
    watched.start();
  }

  private Informable<GenericKubernetesResource> source(ResourceDefinitionContext context) {
    return kind.namespaced()
        ? ObjectWatches.in(client.genericKubernetesResources(context), namespace)
        : client.genericKubernetesResources(context);
  }

  /** The served version that stands first; the API server puts the stable ones before others. */
  private Optional<String> version() {
    APIGroup found = client.getApiGroup(soughtFor().group());
    if (found == null || found.getVersions() == null) {
      return Optional.empty();
    }
    return found.getVersions().stream()
        .filter(version -> serves(version.getGroupVersion()))
        .map(version -> version.getVersion())
        .findFirst();
  }

  private boolean serves(String groupVersion) {
    APIResourceList list = client.getApiResources(groupVersion);
    return list != null
        && list.getResources() != null
        && list.getResources().stream().anyMatch(r -> soughtFor().plural().equals(r.getName()));
  }

  private Kind soughtFor() {
    return with == null ? kind : with;
  }

  @Override
  public synchronized Optional<Duration> listen() {
    return watched == null ? Optional.empty() : watched.listen();
  }

  @Override
  public String kind() {
    return ObjectWatches.name(kind.fullName(), namespace);
  }

  @Override
  public synchronized boolean synced() {
    return watched == null ? missing : watched.synced();
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (watched != null) {
      watched.close();
    }
  }
}
