package dev.rekindle.testbed.fidelity;

import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One scenario's part of the testbed. */
final class RealSubject implements Subject {

  private static final String HOLD = "rekindle.dev/fidelity-hold";
  private final RealCluster cluster;
  private final KubernetesClient client;
  private final Scenario scenario;
  private final String prefix;
  private final String node;
  private final JobManifest manifest;
  private final NodeGpus gpus;
  private final SubjectVersions versions;
  private final Map<String, IdleJobSpec> wishes = new TreeMap<>();

  private boolean frozen;

  RealSubject(RealCluster cluster, Scenario scenario, String prefix) {
    this.cluster = cluster;
    this.client = cluster.client();
    this.scenario = scenario;
    this.prefix = prefix + "-";
    this.node = scenario.lone() ? cluster.takeNode() : "";
    this.manifest = new JobManifest(scenario, node);
    this.gpus = new NodeGpus(client, node);
    this.versions = new SubjectVersions(this.prefix, node);
    if (scenario.gpus() > 0) {
      gpus.add(scenario.gpus());
    }
    cluster.listen(node, versions);
  }

  private String name(String job) {
    return prefix + job;
  }

  private String name(String job, String rank) {
    return name(job) + "-" + rank;
  }

  // --- writes ---------------------------------------------------------------------------------

  private static int answer(Runnable call) {
    try {
      call.run();
      return OK;
    } catch (KubernetesClientException error) {
      return error.getCode();
    }
  }

  private Resource<GenericKubernetesResource> at(String job) {
    return client
        .genericKubernetesResources(RealCluster.API_VERSION, RealCluster.KIND)
        .inNamespace(RealCluster.NAMESPACE)
        .withName(name(job));
  }

  private int merge(String job, Map<String, ?> patch) {
    String json = client.getKubernetesSerialization().asJson(patch);
    return answer(() -> at(job).patch(PatchContext.of(PatchType.JSON_MERGE), json));
  }

  @Override
  public int create(String job, IdleJobSpec spec) {
    Map<String, Object> object =
        Map.of(
            "apiVersion",
            RealCluster.API_VERSION,
            "kind",
            RealCluster.KIND,
            "metadata",
            Map.of("name", name(job), "namespace", RealCluster.NAMESPACE),
            "spec",
            Map.of("pytorchReplicaSpecs", manifest.replicas(spec)));
    GenericKubernetesResource resource =
        client.getKubernetesSerialization().convertValue(object, GenericKubernetesResource.class);
    int code =
        answer(
            () ->
                client
                    .genericKubernetesResources(RealCluster.API_VERSION, RealCluster.KIND)
                    .inNamespace(RealCluster.NAMESPACE)
                    .resource(resource)
                    .create());
    if (code == OK) {
      wishes.put(job, spec);
    }
    return code;
  }

  @Override
  public int suspend(String job, boolean suspend) {
    return merge(job, Map.of("spec", Map.of("runPolicy", Map.of("suspend", suspend))));
  }

  @Override
  public int template(String job, String attempt, boolean offTheLoneNode) {
    IdleJobSpec spec = Optional.ofNullable(wishes.get(job)).orElseThrow();
    Map<String, Object> template =
        Map.of(
            "template",
            Map.of(
                "metadata", Map.of("annotations", marks(job, attempt)),
                "spec", Map.of("affinity", manifest.affinity(spec, offTheLoneNode))));
    Map<String, Object> replicas = new LinkedHashMap<>();
    replicas.put("Master", template);
    if (spec.workers() > 0) {
      replicas.put("Worker", template);
    }
    return merge(job, Map.of("spec", Map.of("pytorchReplicaSpecs", replicas)));
  }

  /** As the controller writes them: none counts that does not name the job it stands on. */
  private Map<String, Object> marks(String job, String attempt) {
    return Map.of(
        Annotations.ATTEMPT, attempt, Annotations.JOB_UID, at(job).get().getMetadata().getUid());
  }

  @Override
  public int revive(String job) {
    GenericKubernetesResource object = at(job).get();
    List<Map<String, Object>> conditions = object.get("status", "conditions");
    Map<String, @Nullable Object> status = new HashMap<>();
    status.put(
        "conditions", conditions.stream().filter(c -> !"Failed".equals(c.get("type"))).toList());
    status.put("completionTime", null);
    String json = client.getKubernetesSerialization().asJson(Map.of("status", status));
    return answer(
        () -> at(job).subresource("status").patch(PatchContext.of(PatchType.JSON_MERGE), json));
  }

  @Override
  public int annotate(String job, long version, String value) {
    return merge(
        job,
        Map.of(
            "metadata",
            Map.of(
                "resourceVersion",
                Long.toString(version),
                "annotations",
                Map.of("rekindle.dev/fidelity", value))));
  }

  @Override
  public int delete(String job) {
    return answer(
        () ->
            client.raw(
                "/apis/%s/namespaces/%s/pytorchjobs/%s"
                    .formatted(RealCluster.API_VERSION, RealCluster.NAMESPACE, name(job)),
                "DELETE",
                new DeleteOptionsBuilder()
                    .withApiVersion("v1")
                    .withKind("DeleteOptions")
                    .withPropagationPolicy("Background")
                    .build()));
  }

  @Override
  public int deletePod(String job, String rank, String uid, @Nullable Duration grace) {
    DeleteOptionsBuilder options =
        new DeleteOptionsBuilder().withApiVersion("v1").withKind("DeleteOptions");
    if (grace != null) {
      options.withGracePeriodSeconds(grace.toSeconds());
    }
    if (!uid.isEmpty()) {
      options.withNewPreconditions().withUid(uid).endPreconditions();
    }
    return answer(
        () ->
            client.raw(
                "/api/v1/namespaces/%s/pods/%s".formatted(RealCluster.NAMESPACE, name(job, rank)),
                "DELETE",
                options.build()));
  }

  @Override
  public int hold(String job, String rank, boolean held) {
    String json = held ? "[\"" + HOLD + "\"]" : "null";
    return answer(
        () ->
            client
                .pods()
                .inNamespace(RealCluster.NAMESPACE)
                .withName(name(job, rank))
                .patch(
                    PatchContext.of(PatchType.JSON_MERGE),
                    "{\"metadata\": {\"finalizers\": %s}}".formatted(json)));
  }

  // --- machines -------------------------------------------------------------------------------

  @Override
  public void exit(String job, String rank, int code) {
    String signal =
        switch (code) {
          case 0 -> "USR2";
          case 1 -> "USR1";
          case 137 -> "KILL";
          default -> throw new IllegalArgumentException("code " + code);
        };
    Pod pod = client.pods().inNamespace(RealCluster.NAMESPACE).withName(name(job, rank)).get();
    cluster.machines().signal(signal, List.of(cluster.machines().firstProcess(pod)));
  }

  @Override
  public boolean processOf(PodView pod) {
    Pod seen;
    synchronized (cluster) {
      seen = versions.ran(pod.uid());
    }
    return seen != null && !cluster.machines().processes(seen).isEmpty();
  }

  @Override
  public void freeze() {
    frozen = true;
    cluster.machines().freeze(node);
  }

  @Override
  public void cutOff() {
    frozen = true;
    cluster.machines().freezeKubelet(node);
  }

  @Override
  public void thaw() {
    cluster.machines().thaw(node);
    frozen = false;
  }

  // --- reading --------------------------------------------------------------------------------

  @Override
  public NodeView loneNode() {
    return cluster.node(node);
  }

  @Override
  public boolean keepsPodsOffTheLoneNode() {
    return cluster.unreachable(node);
  }

  @Override
  public Optional<JobView> job(String job) {
    return cluster.job(name(job)).map(RealCluster::view);
  }

  @Override
  public long version(String job) {
    return Long.parseLong(at(job).get().getMetadata().getResourceVersion());
  }

  @Override
  public List<PodView> pods(String job) {
    return cluster.pods().stream()
        .map(RealCluster::view)
        .filter(p -> p.job().name().equals(name(job)))
        .toList();
  }

  @Override
  public List<PodView> podsAt(String job, long version) {
    return client
        .pods()
        .inNamespace(RealCluster.NAMESPACE)
        .list(
            new ListOptionsBuilder()
                .withResourceVersion(Long.toString(version))
                .withResourceVersionMatch("Exact")
                .build())
        .getItems()
        .stream()
        .map(RealCluster::view)
        .filter(p -> p.job().name().equals(name(job)))
        .toList();
  }

  @Override
  public List<PodView> podsOnTheLoneNode() {
    return client
        .pods()
        .inNamespace(RealCluster.NAMESPACE)
        .withField("spec.nodeName", node)
        .list()
        .getItems()
        .stream()
        .map(RealCluster::view)
        .toList();
  }

  // --- time -----------------------------------------------------------------------------------

  @Override
  public Instant now() {
    return Instant.now();
  }

  @Override
  public void pass(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public boolean until(Duration limit, BooleanSupplier so) {
    return cluster.until(limit, so);
  }

  @Override
  public List<ObjectVersion> objectVersions() {
    synchronized (cluster) {
      return versions.all();
    }
  }

  /** Leaves nothing behind. */
  @Override
  public void close() {
    cluster.unlisten(versions);
    if (frozen) {
      thaw();
    }
    for (String job : wishes.keySet()) {
      delete(job);
      for (PodView pod : pods(job)) {
        hold(job, ObjectVersion.rank(pod), false);
        deletePod(job, ObjectVersion.rank(pod), pod.uid(), Duration.ofSeconds(1));
      }
    }
    boolean clean =
        until(
            Duration.ofMinutes(3),
            () -> wishes.keySet().stream().allMatch(job -> pods(job).isEmpty()));
    if (scenario.gpus() > 0) {
      gpus.remove();
    }
    if (scenario.lone()) {
      boolean ready = until(Duration.ofMinutes(3), () -> loneNode().readiness() == Readiness.READY);
      cluster.giveNode(node);
      clean &= ready;
    }
    if (!clean) {
      throw new IllegalStateException("scenario " + scenario.name() + " could not be undone");
    }
  }
}
