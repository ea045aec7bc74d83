package dev.rekindle.testbed;

import dev.rekindle.api.RankReport;
import dev.rekindle.api.RankReportStatus;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A training job that runs on the testbed. */
final class TrainingJob {
  static final String API_VERSION = "kubeflow.org/v1";
  static final String KIND = "PyTorchJob";
  static final String CONTAINER = "pytorch";
  private static final String JOB_NAME = "training.kubeflow.org/job-name";
  private static final String ATTEMPT = "rekindle.dev/attempt";

  /**
   * A gang of three PyTorch processes takes some 8 s to start on two idle cores: many times that,
   * for three jobs at a time on a machine that stands still now and then.
   */
  private static final Duration START = Duration.ofMinutes(4);

  /** Events are written after the change that they report, and again after a failure. */
  private static final Duration EVENT = Duration.ofMinutes(2);

  private final Scene scene;
  private final String name;
  private final Path checkpoints;
  private final TrainingLog log;

  TrainingJob(Scene scene, String name, Path checkpoints) {
    this.scene = scene;
    this.name = name;
    this.checkpoints = checkpoints;
    log = new TrainingLog(Testbed.NAMESPACE, name);
  }

  private KubernetesClient client() {
    return scene.client();
  }

  private Resource<GenericKubernetesResource> handle() {
    return client()
        .genericKubernetesResources(API_VERSION, KIND)
        .inNamespace(Testbed.NAMESPACE)
        .withName(name);
  }

  void create(GenericKubernetesResource job) {
    client()
        .genericKubernetesResources(API_VERSION, KIND)
        .inNamespace(Testbed.NAMESPACE)
        .resource(job)
        .create();
  }

  String name() {
    return name;
  }

  /** What its ranks print. */
  TrainingLog log() {
    return log;
  }

  /** Its checkpoints, on the host. */
  Path checkpoints() {
    return checkpoints;
  }

  Recoveries recoveries() {
    return new Recoveries(client(), this);
  }

  /** The object as it is now. */
  GenericKubernetesResource object() {
    return Optional.ofNullable(handle().get())
        .orElseThrow(() -> new AssertionError("job " + name + " is not there"));
  }

  /** Something in the object. */
  <T> Optional<T> get(Object... path) {
    return Optional.ofNullable(object().<T>get(path));
  }

  String uid() {
    return object().getMetadata().getUid();
  }

  Optional<String> annotation(String key) {
    Map<String, String> annotations = object().getMetadata().getAnnotations();
    return annotations == null ? Optional.empty() : Optional.ofNullable(annotations.get(key));
  }

  boolean suspended() {
    return this.<Boolean>get("spec", "runPolicy", "suspend").orElse(false);
  }

  /** What its user would do. */
  void suspend(boolean suspend) {
    handle()
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\": {\"runPolicy\": {\"suspend\": %b}}}".formatted(suspend));
  }

  /** Its user changes an annotation. */
  void annotate(String key, String value) {
    handle()
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"annotations\": {\"%s\": \"%s\"}}}".formatted(key, value));
  }

  /** Writes it, and changes nothing of it. */
  void touch() {
    handle().dryRun().patch(PatchContext.of(PatchType.JSON_MERGE), Cluster.TOUCH);
  }

  /** Its pods, of any generation. */
  List<Pod> pods() {
    return client()
        .pods()
        .inNamespace(Testbed.NAMESPACE)
        .withLabel(JOB_NAME, name)
        .list()
        .getItems();
  }

  /** What agents report of its present pods. */
  List<RankReportStatus> reports() {
    Set<String> uids =
        pods().stream().map(p -> p.getMetadata().getUid()).collect(Collectors.toSet());
    return client()
        .resources(RankReport.class)
        .inNamespace(Testbed.NAMESPACE)
        .list()
        .getItems()
        .stream()
        .filter(r -> uids.contains(r.getSpec().podUid()) && r.getStatus() != null)
        .map(RankReport::getStatus)
        .toList();
  }

  /** Names of its pods by role and index. */
  Set<String> podNames(String... ranks) {
    return Arrays.stream(ranks).map(rank -> name + "-" + rank).collect(Collectors.toSet());
  }

  /** One pod by its role and index, such as worker-0. */
  Pod pod(String rank) {
    return find(rank)
        .orElseThrow(() -> new AssertionError("job %s has no pod %s".formatted(name, rank)));
  }

  private Optional<Pod> find(String rank) {
    return pods().stream()
        .filter(p -> p.getMetadata().getName().equals(name + "-" + rank))
        .findFirst();
  }

  /** Where that pod runs; waits until it is there and has been scheduled. */
  String nodeOf(String rank) {
    return Await.value(
        "a node for %s-%s".formatted(name, rank),
        START,
        () -> find(rank).map(pod -> pod.getSpec().getNodeName()),
        this::describePods);
  }

  /** Pod UID to node. */
  Map<String, String> placement() {
    return pods().stream()
        .collect(
            Collectors.toMap(
                p -> p.getMetadata().getUid(),
                p -> Optional.ofNullable(p.getSpec().getNodeName()).orElse(""),
                (a, _) -> a,
                TreeMap::new));
  }

  /** The attempt that a pod belongs to; empty for the first generation. */
  static String attempt(Pod pod) {
    Map<String, String> annotations = pod.getMetadata().getAnnotations();
    return annotations == null ? "" : annotations.getOrDefault(ATTEMPT, "");
  }

  /** An environment variable of the container that trains. */
  static Optional<String> env(Pod pod, String variable) {
    return pod.getSpec().getContainers().stream()
        .filter(c -> c.getName().equals(CONTAINER))
        .flatMap(c -> c.getEnv().stream())
        .filter(e -> e.getName().equals(variable))
        .map(e -> Optional.ofNullable(e.getValue()).orElseGet(() -> fromAnnotation(pod, e)))
        .findFirst();
  }

  /** What the kubelet makes of a variable that refers to an annotation. */
  private static String fromAnnotation(Pod pod, EnvVar variable) {
    Map<String, String> annotations = pod.getMetadata().getAnnotations();
    String path =
        variable.getValueFrom() == null || variable.getValueFrom().getFieldRef() == null
            ? ""
            : variable.getValueFrom().getFieldRef().getFieldPath();
    return annotations == null
        ? ""
        : annotations.entrySet().stream()
            .filter(a -> path.equals("metadata.annotations['" + a.getKey() + "']"))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElse("");
  }

  /**
   * Processes of a rank, on the host. Waits for them: one rank can step before another has started,
   * and the id of a container stands in its pod a moment after the container runs.
   */
  List<Long> processes(String rank) {
    return Await.value(
        "a process of %s-%s".formatted(name, rank),
        START,
        () ->
            find(rank).map(pod -> Host.processes(pod, CONTAINER)).filter(found -> !found.isEmpty()),
        this::describePods);
  }

  /**
   * Waits until some rank has come so far and all have started: ranks of PyTorch step together,
   * light ones alone, pods are made one after another, and a sandbox may take a second try.
   */
  void awaitStep(long step) {
    Await.until(
        "step %d of %s".formatted(step, name),
        START,
        () -> log.reached() >= step && allStarted(),
        () -> "reached %d; pods: %s".formatted(log.reached(), describePods()));
  }

  private boolean allStarted() {
    List<Pod> pods = pods();
    return pods.size() >= ranks()
        && pods.stream().noneMatch(p -> p.getStatus().getPhase().equals("Pending"));
  }

  private int ranks() {
    return this.<Map<String, Map<String, Object>>>get("spec", "pytorchReplicaSpecs")
        .orElseThrow()
        .values()
        .stream()
        .mapToInt(replica -> replica.get("replicas") instanceof Number n ? n.intValue() : 1)
        .sum();
  }

  /** Waits until pods that were not there before have come further than a step. */
  void awaitNewGenerationPast(long step, java.util.Set<String> formerUids) {
    Predicate<TrainingLog.Step> young = s -> !formerUids.contains(s.uid());
    Await.until(
        "new pods of %s past step %d".formatted(name, step),
        START,
        () -> log.reached(young) > step,
        () -> "reached %d; pods: %s".formatted(log.reached(young), describePods()));
  }

  /** Waits for more steps of the training. */
  void awaitProgress(long more) {
    long now = log.reached();
    awaitStep(now + more);
  }

  /** Events on this job, by their reason. */
  List<Event> events(String reason) {
    return client().events().v1().events().inNamespace(Testbed.NAMESPACE).list().getItems().stream()
        .filter(e -> e.getRegarding() != null && name.equals(e.getRegarding().getName()))
        .filter(e -> reason.equals(e.getReason()))
        .toList();
  }

  /** Waits for an event on this job and gives its note. */
  String awaitEvent(String reason) {
    return Await.value(
        "event %s on job %s".formatted(reason, name),
        EVENT,
        () -> events(reason).stream().map(Event::getNote).findFirst());
  }

  String describePods() {
    return pods().stream()
        .map(
            p ->
                "%s on %s %s%s"
                    .formatted(
                        p.getMetadata().getName(),
                        p.getSpec().getNodeName(),
                        p.getStatus().getPhase(),
                        p.getMetadata().getDeletionTimestamp() == null ? "" : " (terminating)"))
        .collect(Collectors.joining(", "));
  }

  /**
   * Deletes it with its pods and checkpoints, and waits until all are gone; then its recoveries,
   * which would stay for people.
   */
  void delete() {
    handle().delete();
    for (Pod pod : pods()) {
      client().resource(pod).withGracePeriod(0).delete();
    }
    Await.until(
        "job %s and its pods gone".formatted(name),
        Duration.ofMinutes(3),
        () -> handle().get() == null && pods().isEmpty(),
        this::describePods);
    recoveries().all().forEach(recovery -> client().resource(recovery).delete());
  }

  /** Ends the following of its logs and removes its checkpoints. */
  void dispose() {
    log.close();
    Scene.deleteFolder(checkpoints);
  }
}
