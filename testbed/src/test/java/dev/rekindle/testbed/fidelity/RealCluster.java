package dev.rekindle.testbed.fidelity;

import dev.rekindle.controller.kubernetes.convert.JobReader;
import dev.rekindle.controller.kubernetes.convert.NodeReader;
import dev.rekindle.controller.kubernetes.convert.PodReader;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.kubeflow.v1.PyTorchJob;

/**
 * The testbed, watched: what its watches show is kept for all scenarios, which run beside each
 * other in one namespace.
 */
final class RealCluster implements AutoCloseable {
  static final String NAMESPACE = "fidelity";
  static final String API_VERSION = "kubeflow.org/v1";
  static final String KIND = "PyTorchJob";

  private static final String UNREACHABLE = "node.kubernetes.io/unreachable";

  /** Nodes that belong to one scenario at a time; the pods of the others keep off them. */
  private static final List<String> LONE =
      List.of("node-1", "node-2", "node-3", "node-4", "node-5", "node-6");

  private final KubernetesClient client;
  private final Machines machines;
  private final List<Watch> watches = new ArrayList<>();
  private final Map<String, Pod> pods = new HashMap<>();
  private final Map<String, PyTorchJob> jobs = new HashMap<>();
  private final Map<String, Node> nodes = new HashMap<>();
  private final List<Consumer<Object>> listeners = new ArrayList<>();
  private final BlockingQueue<String> lone = new LinkedBlockingQueue<>();
  private @Nullable WatcherException broken;

  /** A version of a pod. */
  record PodNews(Pod pod, boolean gone) {}

  /** A version of a job. */
  record JobNews(PyTorchJob job, boolean gone) {}

  /** A version of a node. */
  record NodeNews(Node node) {}

  RealCluster(KubernetesClient client, Machines machines) {
    this.client = client;
    this.machines = machines;
    LONE.stream().filter(node -> client.nodes().withName(node).get() != null).forEach(lone::add);
    makeNamespace();
    watches.add(client.pods().inNamespace(NAMESPACE).watch(new Sink<>(this::podChanged)));
    watches.add(
        client
            .genericKubernetesResources(API_VERSION, KIND)
            .inNamespace(NAMESPACE)
            .watch(new Sink<>(this::jobChanged)));
    watches.add(client.nodes().watch(new Sink<>(this::nodeChanged)));
  }

  private void makeNamespace() {
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .serverSideApply();
    client
        .serviceAccounts()
        .inNamespace(NAMESPACE)
        .withName("default")
        .waitUntilCondition(account -> account != null, 2, TimeUnit.MINUTES);
  }

  KubernetesClient client() {
    return client;
  }

  Machines machines() {
    return machines;
  }

  static List<String> loneNodes() {
    return LONE;
  }

  /** A node for one scenario alone, once one is free. */
  String takeNode() {
    try {
      return lone.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  void giveNode(String node) {
    lone.add(node);
  }

  // --- what the watches show ------------------------------------------------------------------

  private void podChanged(Pod pod, boolean gone) {
    String name = pod.getMetadata().getName();
    if (gone) {
      pods.remove(name);
    } else {
      pods.put(name, pod);
    }
    pass(new PodNews(pod, gone));
  }

  private void jobChanged(GenericKubernetesResource object, boolean gone) {
    PyTorchJob job = client.getKubernetesSerialization().convertValue(object, PyTorchJob.class);
    String name = job.getMetadata().getName();
    if (gone) {
      jobs.remove(name);
    } else {
      jobs.put(name, job);
    }
    pass(new JobNews(job, gone));
  }

  private void nodeChanged(Node node, boolean gone) {
    nodes.put(node.getMetadata().getName(), node);
    pass(new NodeNews(node));
  }

  private void pass(Object news) {
    listeners.forEach(l -> l.accept(news));
  }

  /** Passes on how a node is, and all news from now on, one at a time. */
  synchronized void listen(String node, Consumer<Object> listener) {
    Node present = nodes.get(node);
    if (present != null) {
      listener.accept(new NodeNews(present));
    }
    listeners.add(listener);
  }

  synchronized void unlisten(Consumer<Object> listener) {
    listeners.remove(listener);
  }

  synchronized List<Pod> pods() {
    return List.copyOf(pods.values());
  }

  synchronized Optional<PyTorchJob> job(String name) {
    return Optional.ofNullable(jobs.get(name));
  }

  synchronized NodeView node(String name) {
    return NodeReader.read(object(name));
  }

  /** Whether the taint is there that keeps new pods off a node that does not answer. */
  synchronized boolean unreachable(String name) {
    return object(name).getSpec().getTaints().stream()
        .anyMatch(t -> t.getKey().equals(UNREACHABLE) && t.getEffect().equals("NoSchedule"));
  }

  private Node object(String name) {
    Node node = nodes.get(name);
    if (node == null) {
      throw new IllegalStateException("no node " + name);
    }
    return node;
  }

  /** Waits until the condition holds. Checked on each event of a watch, and from time to time. */
  synchronized boolean until(Duration limit, BooleanSupplier so) {
    Instant end = Instant.now().plus(limit);
    while (!so.getAsBoolean()) {
      if (broken != null) {
        throw new IllegalStateException("a watch ended", broken);
      }
      if (Instant.now().isAfter(end)) {
        return false;
      }
      try {
        wait(200);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
    return true;
  }

  static PodView view(Pod pod) {
    return PodReader.read(pod).orElseThrow(() -> new IllegalStateException("no job: " + pod));
  }

  static JobView view(PyTorchJob job) {
    return JobReader.read(job);
  }

  @Override
  public void close() {
    watches.forEach(Watch::close);
    client.namespaces().withName(NAMESPACE).delete();
  }

  private final class Sink<T extends HasMetadata> implements Watcher<T> {
    private final Taker<T> taker;

    private Sink(Taker<T> taker) {
      this.taker = taker;
    }

    @Override
    public void eventReceived(Action action, T object) {
      if (action == Action.ADDED || action == Action.MODIFIED || action == Action.DELETED) {
        synchronized (RealCluster.this) {
          taker.take(object, action == Action.DELETED);
          RealCluster.this.notifyAll();
        }
      }
    }

    @Override
    public void onClose(WatcherException cause) {
      synchronized (RealCluster.this) {
        broken = cause;
        RealCluster.this.notifyAll();
      }
    }
  }

  private interface Taker<T> {
    void take(T object, boolean gone);
  }
}
