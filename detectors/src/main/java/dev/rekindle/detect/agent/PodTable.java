package dev.rekindle.detect.agent;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The training pods of this node, by a watch. The watch's store keeps no more of a pod than its
 * identity: a full one costs a hundred times as much.
 */
final class PodTable implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(PodTable.class);
  private final Map<String, TrainingPod> pods = new ConcurrentHashMap<>();
  private final Queue<TrainingPod> gone = new ConcurrentLinkedQueue<>();
  private final Runnable changed;
  private final SharedIndexInformer<Pod> informer;

  /**
   * Starts to watch; a watch that fails is told and tried again by the client.
   *
   * @param changed called after every change, by the thread of the watch
   */
  PodTable(KubernetesClient client, String node, Runnable changed) {
    this.changed = changed;
    informer =
        client
            .pods()
            .inAnyNamespace()
            .withField("spec.nodeName", node)
            .withLabel(TrainingPod.OPERATOR_LABEL, TrainingPod.OPERATOR)
            .runnableInformer(0);
    informer.itemStore(new Identities());
    informer.exceptionHandler(
        (started, error) -> {
          LOG.atWarn()
              .addKeyValue("node", node)
              .addKeyValue("error", error.toString())
              .log("The pods of this node cannot be watched; trying again");
          return true;
        });
    informer.addEventHandler(new Changes());
    var _ = informer.start();
  }

  /** The training pods there are now. */
  Collection<TrainingPod> all() {
    return List.copyOf(pods.values());
  }

  /** Pods whose object is gone, as last seen; each is given once. */
  List<TrainingPod> takeGone() {
    List<TrainingPod> all = new ArrayList<>();
    for (var pod = gone.poll(); pod != null; pod = gone.poll()) {
      all.add(pod);
    }
    return all;
  }

  /** Whether the pods were listed once. */
  boolean isSynced() {
    return informer.hasSynced();
  }

  @Override
  public void close() {
    informer.close();
  }

  private final class Changes implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {
      TrainingPod.of(pod).ifPresent(one -> pods.put(one.uid(), one));
      changed.run();
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {
      // A name that is used again between two looks comes as an update.
      if (!before.getMetadata().getUid().equals(pod.getMetadata().getUid())) {
        remove(before);
      }
      onAdd(pod);
    }

    @Override
    public void onDelete(Pod pod, boolean unknownFinalState) {
      remove(pod);
      changed.run();
    }

    private void remove(Pod pod) {
      var last = pods.remove(pod.getMetadata().getUid());
      if (last != null) {
        gone.add(last);
      }
    }
  }

  /** Keeps of each pod what the informer compares and the table reads. */
  private static final class Identities implements ItemStore<Pod> {
    private final Map<String, Pod> items = new ConcurrentHashMap<>();

    @Override
    public String getKey(Pod pod) {
      return pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
    }

    @Override
    public @Nullable Pod put(String key, Pod pod) {
      var metadata = pod.getMetadata();
      return items.put(
          key,
          new PodBuilder()
              .withNewMetadata()
              .withNamespace(metadata.getNamespace())
              .withName(metadata.getName())
              .withUid(metadata.getUid())
              .withResourceVersion(metadata.getResourceVersion())
              .endMetadata()
              .build());
    }

    @Override
    public @Nullable Pod remove(String key) {
      return items.remove(key);
    }

    @Override
    public Stream<String> keySet() {
      return items.keySet().stream();
    }

    @Override
    public Stream<Pod> values() {
      return items.values().stream();
    }

    @Override
    public int size() {
      return items.size();
    }

    @Override
    public @Nullable Pod get(String key) {
      return items.get(key);
    }

    @Override
    public boolean isFullState() {
      return false;
    }
  }
}
