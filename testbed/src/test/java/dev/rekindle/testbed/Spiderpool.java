package dev.rekindle.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A real Spiderpool and Multus, and a fabric of two rails: pods that request it get a NIC on each,
 * with an address from the pool of the rail and of the leaf that their node is on. The devices are
 * macvlans; that nodes have them to give is written into their status.
 */
final class Spiderpool {
  static final List<String> RAILS = List.of("rail1", "rail2");

  private static final String API = "spiderpool.spidernet.io/v2beta1";
  private static final String NAMESPACE = "spiderpool";
  private static final String INJECT = "cni.spidernet.io/rdma-resource-inject";

  /** The label that says which leaf switch a node is on. */
  static final String LEAF = "fabric.topograph.run/tier-0";

  /** The first time it is built. */
  private static final Duration UP = Duration.ofMinutes(15);

  /** Controllers poll so often for a kind of object that a cluster does not have. */
  private static final Duration LOOKED_FOR = Duration.ofSeconds(30);

  private static @Nullable Instant since;

  private static final AtomicInteger FABRICS = new AtomicInteger();

  private final Scene scene;
  private final String group;
  private final int number;
  private final Deque<GenericKubernetesResource> made = new ArrayDeque<>();
  private int pools;

  private Spiderpool(Scene scene, int number) {
    this.scene = scene;
    this.number = number;
    group = "fabric" + number;
  }

  /**
   * Starts it where it does not run, and makes two rails on all nodes, without a pool. The rails
   * are gone after the test; Spiderpool stays until {@link #stop()}.
   */
  static Spiderpool start(Scene scene) {
    Testbed.command(UP, "testbed", "up", "--bare", "--with", "spiderpool");
    since = since == null ? Instant.now() : since;
    Spiderpool spiderpool = new Spiderpool(scene, FABRICS.incrementAndGet());
    // Before any job, so that what a test makes later goes after the job that has addresses of it.
    scene.onCleanUp(() -> spiderpool.made.forEach(spiderpool::remove));
    for (String rail : RAILS) {
      spiderpool.makeRail(rail);
      scene.cluster().nodes().forEach(n -> spiderpool.offer(n.getMetadata().getName(), rail, 8));
    }
    return spiderpool;
  }

  /** The network of all pods is what it was before. */
  static void stop() {
    since = null;
    Testbed.command(UP, "testbed", "up", "--bare", "--without", "spiderpool");
  }

  /** Waits until our controllers have had the time to find out that it is there. */
  void awaitSeenByControllers() {
    Instant seen = Objects.requireNonNull(since).plus(LOOKED_FOR).plusSeconds(3);
    Duration left = Duration.between(Instant.now(), seen);
    if (left.isPositive()) {
      Await.pause(left);
    }
  }

  private KubernetesClient client() {
    return scene.client();
  }

  /** The name of what makes NICs on a rail. */
  String rail(String rail) {
    return "%s-%s".formatted(rail, group);
  }

  /** Which pools serve it is said by a pattern of names, so that they may come later. */
  private void makeRail(String rail) {
    String name = rail(rail);
    create(
        """
        apiVersion: %s
        kind: SpiderMultusConfig
        metadata:
          name: %s
          namespace: %s
          annotations: {%s: %s}
        spec:
          cniType: macvlan
          enableCoordinator: false
          macvlan:
            master: [tb%s]
            rdmaResourceName: %s
            ippools: {ipv4: ["%s-*"]}
        """
            .formatted(API, name, NAMESPACE, INJECT, group, rail, resource(rail), name));
  }

  /** The extended resource that stands for a device on a rail. */
  static String resource(String rail) {
    return "spidernet.io/" + rail;
  }

  /** A node claims to have so many devices on a rail; none of them after the test. */
  void offer(String node, String rail, int devices) {
    capacity(node, rail, "add", devices);
    scene.onCleanUp(() -> withdraw(node, rail));
  }

  /** A node has no device on a rail. */
  void withdraw(String node, String rail) {
    Map<String, ?> capacity = scene.cluster().node(node).getStatus().getCapacity();
    if (capacity.containsKey(resource(rail))) {
      capacity(node, rail, "remove", 0);
    }
  }

  private void capacity(String node, String rail, String operation, int devices) {
    List<Map<String, String>> patch = new ArrayList<>();
    for (String where : List.of("capacity", "allocatable")) {
      patch.add(
          Map.of(
              "op", operation,
              "path", "/status/%s/%s".formatted(where, resource(rail).replace("/", "~1")),
              "value", Integer.toString(devices)));
    }
    client()
        .nodes()
        .withName(node)
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON), Serialization.asJson(patch));
  }

  /** A pool of so many addresses for a rail, for nodes on one leaf; gives its name. */
  String pool(String rail, String leaf, int addresses) {
    String name = pool(rail, leaf);
    create(
        """
        apiVersion: %1$s
        kind: SpiderIPPool
        metadata: {name: %2$s}
        spec:
          ipVersion: 4
          subnet: 10.%3$d.%4$d.0/24
          ips: ["10.%3$d.%4$d.10-10.%3$d.%4$d.%5$d"]
          nodeAffinity: {matchLabels: {%6$s: %7$s}}
        """
            .formatted(API, name, 150 + number, ++pools, 9 + addresses, LEAF, leaf));
    return name;
  }

  /** Its name. */
  String pool(String rail, String leaf) {
    return "%s-%s-%s".formatted(rail, group, leaf);
  }

  /** Gives a pool as many addresses more. */
  void enlarge(String pool) {
    GenericKubernetesResource now = handle("SpiderIPPool", pool).get();
    String range = now.<List<String>>get("spec", "ips").getFirst();
    int last = Integer.parseInt(range.substring(range.lastIndexOf('.') + 1));
    String more = range.substring(0, range.lastIndexOf('.') + 1) + (last + 20);
    handle("SpiderIPPool", pool)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            Serialization.asJson(Map.of("spec", Map.of("ips", List.of(more, range)))));
  }

  private void create(String yaml) {
    GenericKubernetesResource object =
        Serialization.unmarshal(yaml, GenericKubernetesResource.class);
    made.push(object);
    client().resource(object).create();
  }

  /** A pool goes when its last address is free. */
  private void remove(GenericKubernetesResource object) {
    client().resource(object).delete();
    Await.until(
        "%s %s gone".formatted(object.getKind(), object.getMetadata().getName()),
        Duration.ofMinutes(3),
        () -> client().resource(object).get() == null,
        () -> Serialization.asYaml(client().resource(object).get()));
  }

  private Resource<GenericKubernetesResource> handle(String kind, String name) {
    return client().genericKubernetesResources(API, kind).withName(name);
  }

  /** Pods of the job get a NIC on each rail: Spiderpool's webhook puts what is needed into them. */
  void onRails(ObjectNode template) {
    template.withObjectProperty("metadata").withObjectProperty("annotations").put(INJECT, group);
  }

  /** The allocated addresses of a pool: address to the UID of the pod. */
  Map<String, String> booked(String pool) {
    GenericKubernetesResource now = handle("SpiderIPPool", pool).get();
    String json = Optional.ofNullable(now.<String>get("status", "allocatedIPs")).orElse("{}");
    Map<String, String> booked = new TreeMap<>();
    JsonNode all = Serialization.unmarshal(json, JsonNode.class);
    all.properties().forEach(e -> booked.put(e.getKey(), e.getValue().path("podUid").asText()));
    return booked;
  }

  /** The NICs that Spiderpool has given to this very pod: pool to address. */
  Map<String, String> nics(Pod pod) {
    GenericKubernetesResource endpoint =
        client()
            .genericKubernetesResources(API, "SpiderEndpoint")
            .inNamespace(pod.getMetadata().getNamespace())
            .withName(pod.getMetadata().getName())
            .get();
    if (endpoint == null
        || !pod.getMetadata().getUid().equals(endpoint.get("status", "current", "uid"))) {
      return Map.of();
    }
    List<Map<String, Object>> ips =
        Optional.ofNullable(endpoint.<List<Map<String, Object>>>get("status", "current", "ips"))
            .orElse(List.of());
    return ips.stream()
        .collect(
            Collectors.toMap(
                ip -> String.valueOf(ip.get("ipv4Pool")),
                ip -> String.valueOf(ip.get("ipv4")).replaceFirst("/.*", ""),
                (a, b) -> a + "," + b,
                TreeMap::new));
  }

  /** What kubelets said of pods of the job that got no address. */
  List<String> refusals(TrainingJob job) {
    return client().events().v1().events().inNamespace(Testbed.NAMESPACE).list().getItems().stream()
        .filter(e -> "FailedCreatePodSandBox".equals(e.getReason()))
        .filter(e -> e.getRegarding().getName().startsWith(job.name() + "-"))
        .map(Event::getNote)
        .filter(note -> note.contains("spiderpool IP allocation error"))
        .toList();
  }
}
