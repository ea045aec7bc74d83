package dev.rekindle.testbed;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartReport;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Everything that happened to nodes, pods, jobs and recoveries during a scene. What came first is
 * ordered by the resource version, which etcd counts over all objects, and not by when a watch
 * brought it.
 */
final class Recorder implements AutoCloseable {
  private final Queue<ObjectVersion<?>> objectVersions = new ConcurrentLinkedQueue<>();
  private final List<Consumer<ObjectVersion<?>>> listeners = new CopyOnWriteArrayList<>();
  private final List<Watch> watches = new CopyOnWriteArrayList<>();
  private volatile boolean closed;

  /**
   * One version of one object.
   *
   * @param revision its place in the order of all changes of the cluster
   * @param at when the watch showed it
   * @param action added, modified, deleted
   * @param object the object as it was then
   */
  record ObjectVersion<T extends HasMetadata>(
      long revision, Instant at, Watcher.Action action, T object) {
    String name() {
      return object.getMetadata().getName();
    }

    String uid() {
      return object.getMetadata().getUid();
    }

    boolean gone() {
      return action == Watcher.Action.DELETED;
    }
  }

  Recorder(KubernetesClient client) {
    follow(sink -> client.nodes().watch(sink), new Sink<Node>());
    follow(sink -> client.pods().inNamespace(Testbed.NAMESPACE).watch(sink), new Sink<Pod>());
    follow(
        sink ->
            client
                .genericKubernetesResources(TrainingJob.API_VERSION, TrainingJob.KIND)
                .inNamespace(Testbed.NAMESPACE)
                .watch(sink),
        new Sink<GenericKubernetesResource>());
    follow(
        sink -> client.resources(Recovery.class).inNamespace(Testbed.NAMESPACE).watch(sink),
        new Sink<Recovery>());
    follow(
        sink -> client.resources(RestartOrder.class).inNamespace(Testbed.NAMESPACE).watch(sink),
        new Sink<RestartOrder>());
    follow(
        sink -> client.resources(RestartReport.class).inNamespace(Testbed.NAMESPACE).watch(sink),
        new Sink<RestartReport>());
  }

  /** A watch that the API server ends, as it does when a schema changes, is begun again. */
  private <T extends HasMetadata> void follow(Function<Watcher<T>, Watch> begin, Sink<T> sink) {
    sink.again = () -> followAgain(begin, sink);
    if (!closed) {
      watches.add(begin.apply(sink));
    }
  }

  /** The API server may be busy, or stand still, when it is asked again. */
  private <T extends HasMetadata> void followAgain(
      Function<Watcher<T>, Watch> begin, Sink<T> sink) {
    Await.until(
        "a watch is begun again",
        Duration.ofMinutes(2),
        () -> {
          try {
            follow(begin, sink);
            return true;
          } catch (KubernetesClientException notYet) {
            return closed;
          }
        });
  }

  /** Calls back at once, on the thread of the watch. */
  void onVersion(Consumer<ObjectVersion<?>> listener) {
    listeners.add(listener);
  }

  /** Does something once, on a thread of its own, as soon as such an object is seen. */
  <T> CompletableFuture<Void> once(Class<T> type, Predicate<T> which, Runnable action) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    AtomicBoolean begun = new AtomicBoolean();
    onVersion(
        seen -> {
          if (type.isInstance(seen.object())
              && !seen.gone()
              && which.test(type.cast(seen.object()))
              && begun.compareAndSet(false, true)) {
            Thread.ofVirtual()
                .start(
                    () -> {
                      action.run();
                      done.complete(null);
                    });
          }
        });
    return done;
  }

  /** All versions of all objects of a type, in the order in which they happened. */
  <T extends HasMetadata> List<ObjectVersion<T>> of(Class<T> type) {
    return all(type).sorted(Comparator.comparingLong(ObjectVersion::revision)).toList();
  }

  @SuppressWarnings("unchecked")
  private <T extends HasMetadata> Stream<ObjectVersion<T>> all(Class<T> type) {
    return objectVersions.stream()
        .filter(s -> type.isInstance(s.object()))
        .map(s -> (ObjectVersion<T>) s);
  }

  /** All versions of one node. */
  List<ObjectVersion<Node>> node(String name) {
    return of(Node.class).stream().filter(s -> s.name().equals(name)).toList();
  }

  /** All versions of the pods of a job. */
  List<ObjectVersion<Pod>> pods(TrainingJob job) {
    return of(Pod.class).stream()
        .filter(s -> s.name().matches(job.name() + "-(master|worker)-\\d+"))
        .toList();
  }

  /** All versions of a job. */
  List<ObjectVersion<GenericKubernetesResource>> job(TrainingJob job) {
    return of(GenericKubernetesResource.class).stream()
        .filter(s -> s.name().equals(job.name()))
        .toList();
  }

  /** All versions that were watched, as text. */
  List<String> lines() {
    return objectVersions.stream()
        .sorted(Comparator.comparingLong(ObjectVersion::revision))
        .map(
            s ->
                "%d %s %-8s %s %s%s"
                    .formatted(
                        s.revision(),
                        s.at(),
                        s.action(),
                        s.object().getKind(),
                        s.name(),
                        s.object().getMetadata().getDeletionTimestamp() == null
                            ? ""
                            : " (terminating)"))
        .toList();
  }

  @Override
  public void close() {
    closed = true;
    watches.forEach(Watch::close);
  }

  private final class Sink<T extends HasMetadata> implements Watcher<T> {
    private volatile Runnable again = () -> {};

    @Override
    public void eventReceived(Action action, T object) {
      if (action == Action.BOOKMARK || action == Action.ERROR) {
        return;
      }
      long revision = Long.parseLong(object.getMetadata().getResourceVersion());
      ObjectVersion<T> objectVersion = new ObjectVersion<>(revision, Instant.now(), action, object);
      objectVersions.add(objectVersion);
      listeners.forEach(l -> l.accept(objectVersion));
    }

    @Override
    public void onClose(WatcherException cause) {
      // On a thread of its own: to begin a watch waits for an answer, which a callback must not.
      Thread.ofVirtual().start(again);
    }
  }
}
