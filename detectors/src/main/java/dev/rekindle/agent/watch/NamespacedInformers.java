package dev.rekindle.agent.watch;

import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.WatchedNamespaces;
import dev.rekindle.logging.LogKey;
import dev.rekindle.watch.BoundedLists;
import dev.rekindle.watch.PageSize;
import dev.rekindle.watch.WatchLiveness;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.io.Closeable;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One kind, watched in each namespace that is watched, or in all at once. A watch that fails is
 * logged and tried again by the client. The right to list goes with a namespace that is deleted:
 * there nothing is waited for. Where others store so much that a list of it is too large, it is
 * listed in pages.
 */
public final class NamespacedInformers<T extends HasMetadata> implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(NamespacedInformers.class);

  /**
   * Longer than the controller's: there is one such watch for each node, and where etcd reports its
   * progress seldom an idle kind is listed for nothing.
   */
  public static final Duration SILENT = Duration.ofMinutes(5);

  private final KubernetesClient client;
  private final String kind;
  private final ResourceEventHandler<T> handler;
  private final Map<String, One<T>> all = new LinkedHashMap<>();
  private final Set<String> gone = ConcurrentHashMap.newKeySet();

  /**
   * Starts to watch.
   *
   * @param kind for the log
   * @param source what is watched in a namespace, or in all where the text is empty
   * @param store makes what keeps the objects of a namespace
   * @param clock by which watches are found to be dead
   */
  public NamespacedInformers(
      KubernetesClient client,
      String kind,
      WatchedNamespaces namespaces,
      Function<String, Informable<T>> source,
      Supplier<ItemStore<T>> store,
      ResourceEventHandler<T> handler,
      SteadyClock clock) {
    this.client = client;
    this.kind = kind;
    this.handler = handler;
    for (String namespace : namespaces.places()) {
      all.put(
          namespace,
          new One<>(namespace, source.apply(namespace), store.get(), new WatchLiveness(clock)));
    }
    all.values().forEach(this::start);
  }

  /** Of one namespace. Its store outlives each informer, so that the next one sees who is gone. */
  private static final class One<T> {
    private final String namespace;
    private final Informable<T> source;
    private final ItemStore<T> store;
    private final WatchLiveness liveness;
    private final PageSize pages = PageSize.allAtOnce();
    private @Nullable SharedIndexInformer<T> informer;
    private int starts;
    private boolean synced;
    private boolean closed;

    One(String namespace, Informable<T> source, ItemStore<T> store, WatchLiveness liveness) {
      this.namespace = namespace;
      this.source = source;
      this.store = store;
      this.liveness = liveness;
    }

    synchronized boolean isSynced() {
      synced = synced || (informer != null && informer.hasSynced());
      return synced;
    }

    synchronized void close() {
      closed = true;
      if (informer != null) {
        informer.close();
      }
    }
  }

  private void start(One<T> one) {
    synchronized (one) {
      if (one.closed) {
        return;
      }
      Informable<T> source =
          one.pages.now() == 0 ? one.source : one.source.withLimit(one.pages.now());
      var next =
          source
              .runnableInformer(0)
              .itemStore(one.store)
              .exceptionHandler((_, error) -> goesOn(one.namespace, error));
      next.addEventHandler(handler);
      one.informer = next;
      one.starts++;
      var _ = next.start().whenComplete((_, error) -> ended(one, next, error));
      var _ = next.stopped().whenComplete((_, error) -> ended(one, next, error));
    }
  }

  private boolean goesOn(String namespace, Throwable error) {
    if (BoundedLists.hasEnded(error)) {
      return false;
    }
    LOG.atWarn()
        .addKeyValue(LogKey.KIND.key(), namespace.isEmpty() ? kind : kind + " in " + namespace)
        .addKeyValue(LogKey.ERROR.key(), error.toString())
        .log("Cannot watch; retrying");
    if (!namespace.isEmpty() && isForbidden(error)) {
      // It waits for the API server, which the thread of the watch must not.
      Thread.ofVirtual().start(() -> check(namespace));
    }
    return true;
  }

  /** An informer that goes on ends only when it is closed, or when a list of it is too large. */
  private void ended(One<T> one, SharedIndexInformer<T> ended, @Nullable Throwable error) {
    synchronized (one) {
      if (error != null && ended.equals(one.informer) && one.pages.shrink(error)) {
        LOG.atInfo()
            .addKeyValue(LogKey.KIND.key(), kind)
            .addKeyValue(LogKey.COUNT.key(), one.pages.now())
            .log("Objects are large; listing fewer at a time");
        ended.stop();
        start(one);
      }
    }
  }

  private static boolean isForbidden(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof KubernetesClientException api
          && api.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        return true;
      }
    }
    return false;
  }

  private void check(String namespace) {
    try {
      if (client.namespaces().withName(namespace).get() == null) {
        gone.add(namespace);
      } else {
        gone.remove(namespace);
      }
    } catch (KubernetesClientException e) {
      LOG.atWarn()
          .addKeyValue(LogKey.NAMESPACE.key(), namespace)
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot check whether a namespace is there");
    }
  }

  /**
   * Lists again where a watch has shown neither an event nor a bookmark for too long, or where a
   * list hangs: the client library sends no pings, so that a dead connection would stay open for
   * ever. To be called now and then.
   */
  public void listen() {
    all.values().forEach(this::listen);
  }

  private void listen(One<T> one) {
    synchronized (one) {
      var current = one.informer;
      if (one.closed || current == null) {
        return;
      }
      one.liveness.saw(
          current.hasSynced()
              ? Objects.requireNonNullElse(current.lastSyncResourceVersion(), "")
              : "list " + one.starts);
      if (one.liveness.isSilent(SILENT)) {
        LOG.atWarn()
            .addKeyValue(LogKey.KIND.key(), kind)
            .addKeyValue(LogKey.NAMESPACE.key(), one.namespace)
            .log("Watch shows no newer version; relisting");
        current.stop();
        start(one);
      }
    }
  }

  /** What is kept of all objects. */
  public Stream<T> all() {
    return all.values().stream().flatMap(one -> one.store.values());
  }

  /** Whether each namespace that is there was listed once. */
  public boolean isSynced() {
    return all.values().stream().allMatch(one -> one.isSynced() || gone.contains(one.namespace));
  }

  @Override
  public void close() {
    all.values().forEach(One::close);
  }
}
