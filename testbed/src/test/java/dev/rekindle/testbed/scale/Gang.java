package dev.rekindle.testbed.scale;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The pods of the job, as a watch shows them. */
final class Gang implements AutoCloseable {
  private static final String JOB = "training.kubeflow.org/job-name";

  private record Waiting(Predicate<Pod> what, CompletableFuture<Pod> shown) {}

  private final Map<String, Pod> pods = new ConcurrentHashMap<>();
  private final Map<String, Waiting> waiting = new ConcurrentHashMap<>();
  private final Listener listener;
  private final SharedIndexInformer<Pod> informer;

  /** Gets every change, on the thread of the watch. */
  interface Listener {
    /** A pod is as the watch shows, or was before it went. */
    void changed(Pod pod, boolean gone);
  }

  public Gang(Api api, String namespace, String job, Listener listener) {
    this.listener = listener;
    informer = api.client().pods().inNamespace(namespace).withLabel(JOB, job).inform(new Handler());
  }

  int size() {
    return pods.size();
  }

  List<Pod> pods() {
    return List.copyOf(pods.values());
  }

  @Nullable Pod pod(String uid) {
    return pods.get(uid);
  }

  /** The pod as soon as the watch shows it to be so. */
  Pod await(String uid, Predicate<Pod> what) {
    Waiting one = new Waiting(what, new CompletableFuture<>());
    waiting.put(uid, one);
    Pod there = pods.get(uid);
    if (there != null && what.test(there)) {
      one.shown().complete(there);
    }
    return one.shown().join();
  }

  @Override
  public void close() {
    informer.close();
  }

  private final class Handler implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {
      take(pod);
    }

    @Override
    public void onUpdate(Pod old, Pod pod) {
      take(pod);
    }

    @Override
    public void onDelete(Pod pod, boolean unknown) {
      pods.remove(pod.getMetadata().getUid());
      listener.changed(pod, true);
    }

    private void take(Pod pod) {
      String uid = pod.getMetadata().getUid();
      pods.put(uid, pod);
      Waiting one = waiting.get(uid);
      if (one != null && one.what().test(pod)) {
        one.shown().complete(pod);
        waiting.remove(uid, one);
      }
      listener.changed(pod, false);
    }
  }
}
