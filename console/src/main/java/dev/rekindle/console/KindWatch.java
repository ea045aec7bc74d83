package dev.rekindle.console;

import dev.rekindle.detect.ApiErrors;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.logging.LogKey;
import dev.rekindle.watch.BoundedLists;
import dev.rekindle.watch.PageSize;
import dev.rekindle.watch.WatchLiveness;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watch of one kind, in one namespace or in the cluster. It continues for ever: a CRD that is
 * not there yet, a right that is missing, and an API server that does not answer, come. One that
 * shows nothing new for too long, or has ended, is replaced by a new one, which lists again: pages
 * of a dead watch look as if nothing had happened. What was read before is kept until then.
 */
final class KindWatch<T extends HasMetadata> {
  /** Depth to which causes of an exception are searched. */
  private static final int DEPTH = 8;

  private static final Logger LOG = LoggerFactory.getLogger(KindWatch.class);

  private final String kind;
  private final String namespace;
  private final Informable<T> source;
  private final ItemStore<T> store;
  private final ResourceEventHandler<T> announcer;
  private final WatchLiveness liveness;
  private final PageSize pages = PageSize.usual();
  private final AtomicReference<String> refusal = new AtomicReference<>("");

  private @Nullable SharedIndexInformer<T> informer;
  private boolean closed;
  private int starts;

  /** A watch that lists again makes nothing unread: pages show what the one before it has read. */
  private volatile boolean read;

  /**
   * @param kind what is watched, in the plural
   * @param namespace where; empty for the whole cluster
   * @param source makes a watch of it
   * @param store outlives each watch, so that the next one's list shows what was deleted meanwhile
   * @param heard receives each object that was added, updated or deleted
   */
  KindWatch(
      String kind,
      String namespace,
      Informable<T> source,
      ItemStore<T> store,
      Consumer<T> heard,
      SteadyClock clock) {
    this.kind = kind;
    this.namespace = namespace;
    this.source = source;
    this.store = store;
    this.announcer = new Announcer<>(heard);
    this.liveness = new WatchLiveness(clock);
  }

  String namespace() {
    return namespace;
  }

  synchronized void start() {
    if (closed) {
      return;
    }
    SharedIndexInformer<T> next =
        source
            .withLimit(pages.now())
            .runnableInformer(0)
            .itemStore(store)
            .exceptionHandler((_, failure) -> goesOn(failure))
            .removeNamespaceIndex();
    next.addEventHandler(announcer);
    informer = next;
    starts++;
    var _ = next.start().whenComplete((_, failure) -> ended(next, failure));
    var _ = next.stopped().whenComplete((_, failure) -> ended(next, failure));
  }

  /** Lists at once by smaller pages where those were too large. */
  private synchronized void ended(SharedIndexInformer<T> ended, @Nullable Throwable failure) {
    if (failure != null && ended.equals(informer) && pages.shrink(failure)) {
      LOG.atInfo()
          .addKeyValue(LogKey.KIND.key(), kind)
          .addKeyValue(LogKey.COUNT.key(), pages.now())
          .log("Objects are large; listing fewer at a time");
      ended.stop();
      start();
    }
  }

  /** Replaces a watch that has ended, or that has shown neither an event nor a bookmark. */
  synchronized void listen() {
    SharedIndexInformer<T> current = informer;
    if (closed || current == null) {
      return;
    }
    if (!current.hasSynced() && !isOver(current)) {
      liveness.saw("list " + starts);
      if (liveness.isSilent(WatchLiveness.LISTED)) {
        LOG.atWarn()
            .addKeyValue(LogKey.KIND.key(), kind)
            .addKeyValue(LogKey.NAMESPACE.key(), namespace)
            .log("A list hangs; relisting");
        current.stop();
        start();
      }
      return;
    }
    read = read || current.hasSynced();
    liveness.saw(Objects.requireNonNullElse(current.lastSyncResourceVersion(), ""));
    Duration age = liveness.age();
    if (liveness.isSilent()) {
      LOG.atWarn()
          .addKeyValue(LogKey.KIND.key(), kind)
          .addKeyValue(LogKey.NAMESPACE.key(), namespace)
          .addKeyValue(LogKey.DURATION.key(), age)
          .log("Watch shows no newer version; relisting");
      current.stop();
      start();
    }
  }

  private static boolean isOver(SharedIndexInformer<?> informer) {
    return informer.stopped().toCompletableFuture().isDone();
  }

  synchronized void close() {
    closed = true;
    if (informer != null) {
      informer.close();
    }
  }

  private boolean is(Predicate<SharedIndexInformer<T>> so) {
    SharedIndexInformer<T> current = current();
    return current != null && so.test(current);
  }

  private synchronized @Nullable SharedIndexInformer<T> current() {
    return informer;
  }

  List<T> objects() {
    return store.values().toList();
  }

  private boolean goesOn(Throwable failure) {
    String why = refused(failure).map(ApiErrors::describe).orElse("");
    if (!why.equals(refusal.getAndSet(why)) && !why.isEmpty()) {
      LOG.atWarn()
          .addKeyValue(LogKey.KIND.key(), kind)
          .addKeyValue(LogKey.NAMESPACE.key(), namespace)
          .addKeyValue(LogKey.ERROR.key(), why)
          .log("May not be read");
    }
    return !BoundedLists.hasEnded(failure);
  }

  /** By a role, or because there is no such kind: nothing that a wait of seconds repairs. */
  private static Optional<KubernetesClientException> refused(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .limit(DEPTH)
        .flatMap(e -> e instanceof KubernetesClientException k ? Stream.of(k) : Stream.empty())
        .filter(
            e ->
                e.getCode() == HttpURLConnection.HTTP_FORBIDDEN
                    || e.getCode() == HttpURLConnection.HTTP_NOT_FOUND)
        .findFirst();
  }

  /** Why nothing of it can be read; empty where it can. */
  Optional<String> refusal() {
    return is(SharedIndexInformer::isWatching) || refusal.get().isEmpty()
        ? Optional.empty()
        : Optional.of(
            "The console cannot read %s%s: %s"
                .formatted(
                    kind, namespace.isEmpty() ? "" : " of namespace " + namespace, refusal.get()));
  }

  /** Whether it was read once, or the API server refuses that. */
  boolean answered() {
    return read || is(SharedIndexInformer::hasSynced) || !refusal.get().isEmpty();
  }

  private record Announcer<T>(Consumer<T> heard) implements ResourceEventHandler<T> {
    @Override
    public void onAdd(T object) {
      heard.accept(object);
    }

    @Override
    public void onUpdate(T before, T after) {
      heard.accept(after);
    }

    @Override
    public void onDelete(T object, boolean unknown) {
      heard.accept(object);
    }
  }
}
