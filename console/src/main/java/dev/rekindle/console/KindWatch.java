package dev.rekindle.console;

import dev.rekindle.detect.ApiErrors;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watch of one kind, in one namespace or in the cluster. It continues for ever: a CRD that is
 * not there yet, a right that is missing, and an API server that does not answer, come.
 */
final class KindWatch<T extends HasMetadata> {
  /** So many objects are requested at once. */
  static final long PART = 500;

  /** Depth to which causes of an exception are searched. */
  private static final int DEPTH = 8;

  private static final Logger LOG = LoggerFactory.getLogger(KindWatch.class);

  private final String kind;
  private final String namespace;
  private final SharedIndexInformer<T> informer;
  private final AtomicReference<String> refusal = new AtomicReference<>("");

  /**
   * @param kind what is watched, in the plural
   * @param namespace where; empty for the whole cluster
   * @param heard receives each object that was added, updated or deleted
   */
  KindWatch(String kind, String namespace, SharedIndexInformer<T> informer, Consumer<T> heard) {
    this.kind = kind;
    this.namespace = namespace;
    this.informer = informer;
    informer.exceptionHandler((_, failure) -> goesOn(failure));
    informer.addEventHandler(new Announcer<>(heard));
  }

  String namespace() {
    return namespace;
  }

  void start() {
    var _ = informer.start();
  }

  void close() {
    informer.close();
  }

  List<T> objects() {
    return informer.getStore().list();
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
    return true;
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
    return informer.isWatching() || refusal.get().isEmpty()
        ? Optional.empty()
        : Optional.of(
            "The console cannot read %s%s: %s"
                .formatted(
                    kind, namespace.isEmpty() ? "" : " of namespace " + namespace, refusal.get()));
  }

  /** Whether it was read once, or the API server refuses that. */
  boolean answered() {
    return informer.hasSynced() || !refusal.get().isEmpty();
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
