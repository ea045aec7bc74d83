package dev.rekindle.agent.watch;

import dev.rekindle.detect.WatchedNamespaces;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.Closeable;
import java.net.HttpURLConnection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One kind, watched in each namespace that is watched, or in all at once. A watch that fails is
 * logged and tried again by the client. The right to list goes with a namespace that is deleted:
 * there nothing is waited for.
 */
public final class NamespacedInformers<T> implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(NamespacedInformers.class);

  private final KubernetesClient client;
  private final Map<String, SharedIndexInformer<T>> informers = new LinkedHashMap<>();
  private final Set<String> gone = ConcurrentHashMap.newKeySet();

  /**
   * Starts to watch.
   *
   * @param kind for the log
   * @param informer makes one for a namespace, or for all where the text is empty
   */
  public NamespacedInformers(
      KubernetesClient client,
      String kind,
      WatchedNamespaces namespaces,
      Function<String, SharedIndexInformer<T>> informer,
      ResourceEventHandler<T> handler) {
    this.client = client;
    for (String namespace : namespaces.places()) {
      var one = informer.apply(namespace);
      one.exceptionHandler(
          (started, error) -> {
            LOG.atWarn()
                .addKeyValue(
                    LogKey.KIND.key(), namespace.isEmpty() ? kind : kind + " in " + namespace)
                .addKeyValue(LogKey.ERROR.key(), error.toString())
                .log("Cannot watch; retrying");
            if (!namespace.isEmpty() && isForbidden(error)) {
              // It waits for the API server, which the thread of the watch must not.
              Thread.ofVirtual().start(() -> check(namespace));
            }
            return true;
          });
      one.addEventHandler(handler);
      informers.put(namespace, one);
    }
    informers.values().forEach(one -> one.start());
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

  /** What is kept of all objects. */
  public Stream<T> all() {
    return informers.values().stream().flatMap(one -> one.getStore().list().stream());
  }

  /** Whether each namespace that is there was listed once. */
  public boolean isSynced() {
    return informers.entrySet().stream()
        .allMatch(one -> one.getValue().hasSynced() || gone.contains(one.getKey()));
  }

  @Override
  public void close() {
    informers.values().forEach(SharedIndexInformer::close);
  }
}
