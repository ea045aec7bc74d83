package dev.rekindle.agent.pods;

import dev.rekindle.agent.watch.NamespacedInformers;
import dev.rekindle.detect.ApiErrors;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.WatchedNamespaces;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.Closeable;
import java.net.HttpURLConnection;
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
 * identity: a full one costs a hundred times as much. Pods come as trees, and none becomes the
 * library's type of its spec: some two hundred classes, and nothing in it that the agent reads.
 */
public final class PodTable implements Closeable {
  private static final ResourceDefinitionContext POD =
      new ResourceDefinitionContext.Builder()
          .withVersion("v1")
          .withKind("Pod")
          .withPlural("pods")
          .withNamespaced(true)
          .build();

  private static final Logger LOG = LoggerFactory.getLogger(PodTable.class);
  private final Map<String, TrainingPod> pods = new ConcurrentHashMap<>();
  private final Queue<TrainingPod> gone = new ConcurrentLinkedQueue<>();
  private final KubernetesClient client;
  private final KubernetesSerialization json;
  private final Runnable changed;
  private final NamespacedInformers<GenericKubernetesResource> informers;

  /**
   * Starts to watch.
   *
   * @param namespaces where
   * @param changed called after every change, by the thread of the watch
   * @param clock by which the watch is found to be dead
   */
  public PodTable(
      KubernetesClient client,
      String node,
      WatchedNamespaces namespaces,
      Runnable changed,
      SteadyClock clock) {
    this.client = client;
    this.json = client.getKubernetesSerialization();
    this.changed = changed;
    informers =
        new NamespacedInformers<>(
            client,
            "pods",
            namespaces,
            namespace -> source(node, namespace),
            Identities::new,
            new Changes(),
            clock);
  }

  private Informable<GenericKubernetesResource> source(String node, String namespace) {
    var all = client.genericKubernetesResources(POD);
    return (namespace.isEmpty() ? all.inAnyNamespace() : all.inNamespace(namespace))
        .withField("spec.nodeName", node)
        .withLabel(TrainingPod.OPERATOR_LABEL, TrainingPod.OPERATOR);
  }

  /** The training pods there are now. */
  public Collection<TrainingPod> all() {
    return List.copyOf(pods.values());
  }

  /** Pods that have left the watch, as last seen; each is given once. */
  public List<TrainingPod> takeGone() {
    List<TrainingPod> all = new ArrayList<>();
    for (var pod = gone.poll(); pod != null; pod = gone.poll()) {
      all.add(pod);
    }
    return all;
  }

  /** Asks the API server, and no cache, whether that very pod is there, whatever its labels. */
  public DeletionCheck.Answer check(TrainingPod pod) {
    try {
      // A list with one name: the right to list is there already.
      var found =
          client
              .genericKubernetesResources(POD)
              .inNamespace(pod.namespace())
              .withField("metadata.name", pod.name())
              .list()
              .getItems();
      return found.stream().anyMatch(one -> pod.uid().equals(one.getMetadata().getUid()))
          ? DeletionCheck.Answer.THERE
          : DeletionCheck.Answer.GONE;
    } catch (KubernetesClientException e) {
      LOG.atWarn()
          .addKeyValue(LogKey.NAMESPACE.key(), pod.namespace())
          .addKeyValue(LogKey.POD.key(), pod.name())
          .addKeyValue(LogKey.ERROR.key(), e.toString())
          .log("Cannot check whether a pod is deleted; retrying");
      // Any other answer may have taken as long as none does, and hold for all pods.
      int status = ApiErrors.status(e);
      return status == HttpURLConnection.HTTP_FORBIDDEN
              || status == HttpURLConnection.HTTP_NOT_FOUND
          ? DeletionCheck.Answer.REFUSED
          : DeletionCheck.Answer.NONE;
    }
  }

  /** Replaces a dead watch. */
  public void listen() {
    informers.listen();
  }

  /** Whether the pods were listed once. */
  public boolean isSynced() {
    return informers.isSynced();
  }

  @Override
  public void close() {
    informers.close();
  }

  private final class Changes implements ResourceEventHandler<GenericKubernetesResource> {
    @Override
    public void onAdd(GenericKubernetesResource pod) {
      TrainingPod.of(withoutSpec(pod)).ifPresent(one -> pods.put(one.uid(), one));
      changed.run();
    }

    @Override
    public void onUpdate(GenericKubernetesResource before, GenericKubernetesResource pod) {
      // A name that is used again between two polls comes as an update.
      if (!before.getMetadata().getUid().equals(pod.getMetadata().getUid())) {
        remove(before);
      }
      onAdd(pod);
    }

    @Override
    public void onDelete(GenericKubernetesResource pod, boolean unknownFinalState) {
      remove(pod);
      changed.run();
    }

    private Pod withoutSpec(GenericKubernetesResource tree) {
      var pod = new Pod();
      pod.setMetadata(tree.getMetadata());
      pod.setStatus(json.convertValue(tree.get("status"), PodStatus.class));
      return pod;
    }

    private void remove(GenericKubernetesResource pod) {
      var last = pods.remove(pod.getMetadata().getUid());
      if (last != null) {
        gone.add(last);
      }
    }
  }

  /** Keeps of each pod what the informer compares and the table reads. */
  private static final class Identities implements ItemStore<GenericKubernetesResource> {
    private final Map<String, GenericKubernetesResource> items = new ConcurrentHashMap<>();

    @Override
    public String getKey(GenericKubernetesResource pod) {
      return pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
    }

    @Override
    public @Nullable GenericKubernetesResource put(String key, GenericKubernetesResource pod) {
      var metadata = pod.getMetadata();
      var kept = new ObjectMeta();
      kept.setNamespace(metadata.getNamespace());
      kept.setName(metadata.getName());
      kept.setUid(metadata.getUid());
      kept.setResourceVersion(metadata.getResourceVersion());
      var identity = new GenericKubernetesResource();
      identity.setMetadata(kept);
      return items.put(key, identity);
    }

    @Override
    public @Nullable GenericKubernetesResource remove(String key) {
      return items.remove(key);
    }

    @Override
    public Stream<String> keySet() {
      return items.keySet().stream();
    }

    @Override
    public Stream<GenericKubernetesResource> values() {
      return items.values().stream();
    }

    @Override
    public int size() {
      return items.size();
    }

    @Override
    public @Nullable GenericKubernetesResource get(String key) {
      return items.get(key);
    }

    @Override
    public boolean isFullState() {
      return false;
    }
  }
}
