package dev.rekindle.agent.restart;

import dev.rekindle.agent.Crud;
import dev.rekindle.agent.app.AgentClient;
import dev.rekindle.agent.pods.ApiPause;
import dev.rekindle.agent.pods.JobLookup;
import dev.rekindle.agent.pods.JobSettings;
import dev.rekindle.agent.telemetry.AgentMetrics;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.pod.TrainingContainer;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.restart.GangWitnesses;
import dev.rekindle.detect.restart.JournalFile;
import dev.rekindle.detect.restart.Order;
import dev.rekindle.detect.restart.RestartJournal;
import dev.rekindle.detect.restart.RestartLoop;
import dev.rekindle.detect.state.StateFolder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A loop with all that it sees: orders, pods, containers, an API server in memory and a clock. */
public final class Gang implements AutoCloseable {
  public static final Instant ORDERED = Instant.parse("2026-01-01T00:10:00Z");
  public static final Instant OLD = Instant.parse("2026-01-01T00:00:00Z");

  public final Crud crud = new Crud();
  public final FakeNode node = new FakeNode();
  GangWitnesses witnesses = GangWitnesses.NONE;
  public final List<Order> orders = new ArrayList<>();
  public final Map<String, TrainingPod> pods = new LinkedHashMap<>();
  final List<TrainingPod> gone = new ArrayList<>();
  private final Path folder;
  public final Path notes;
  Instant now = ORDERED.plusMillis(300);

  /** By what the clock on the wall of the node is wrong. */
  Duration clockStep = Duration.ZERO;

  boolean synced = true;
  boolean enabled = true;
  RestartLoop loop;

  /**
   * A gang on a node.
   *
   * @param beside the journal is kept in the folder of this
   */
  public Gang(Path beside) {
    folder = Objects.requireNonNull(beside.getParent(), "folder");
    notes = folder.resolve("restart-journal");
    this.loop = newLoop();
  }

  private RestartLoop newLoop() {
    var lookup = new JobLookup(crud.client, () -> now, new ApiPause(() -> now));
    return new RestartLoop(
        "node-1",
        enabled,
        () -> synced,
        () -> List.copyOf(orders),
        () -> List.copyOf(pods.values()),
        () -> {
          var all = List.copyOf(gone);
          gone.clear();
          return all;
        },
        pod -> lookup.known(pod).map(JobSettings::restart),
        new RestartReportWriter(crud.client, "node-1"),
        node,
        new RestartJournal(new JournalFile(new StateFolder(folder, AgentClient.json()))),
        () -> now.plus(clockStep),
        SteadyClock.over(() -> now).from(now.plus(clockStep)),
        new AgentMetrics(new PrometheusRegistry()),
        witnesses);
  }

  /** As when the agent's process ends and another starts. */
  public void restartAgent() {
    loop = newLoop();
  }

  public void job(String name, String recover) {
    crud.client
        .resource(
            new GenericKubernetesResourceBuilder()
                .withApiVersion("kubeflow.org/v1")
                .withKind("PyTorchJob")
                .withNewMetadata()
                .withNamespace("team")
                .withName(name)
                .withAnnotations(Map.of("rekindle.dev/recover", recover))
                .endMetadata()
                .build())
        .createOr(io.fabric8.kubernetes.client.dsl.NonDeletingOperation::update);
  }

  static Order order(RestartInstruction instruction, String leader, @Nullable Instant until) {
    return order(instruction, leader, until, null);
  }

  private static Order order(
      RestartInstruction instruction,
      String leader,
      @Nullable Instant until,
      @Nullable Instant youngest) {
    return order(instruction, leader, until, youngest, false, null);
  }

  private static Order order(
      RestartInstruction instruction,
      String leader,
      @Nullable Instant until,
      @Nullable Instant youngest,
      boolean collects,
      @Nullable Duration lasts) {
    return new Order(
        "team",
        "attempt-1",
        "order-uid",
        ORDERED,
        "job",
        "job-uid",
        instruction,
        leader,
        until,
        youngest,
        collects,
        lasts);
  }

  /** The order, as the controller has it now. */
  void say(RestartInstruction instruction, String leader) {
    say(instruction, leader, ORDERED.plusSeconds(60));
  }

  /** An order to freeze, for a gang of which no pod is younger. */
  public void sayFreeze(Instant youngest) {
    orders.clear();
    orders.add(order(RestartInstruction.FREEZE, "", ORDERED.plusSeconds(60), youngest));
  }

  /** An order to inspect what the ranks are doing, and to freeze them. */
  void sayCollect() {
    sayCollect(RestartInstruction.FREEZE, "");
  }

  /** The same, later. */
  void sayCollect(RestartInstruction instruction, String leader) {
    orders.clear();
    orders.add(order(instruction, leader, ORDERED.plusSeconds(60), null, true, null));
  }

  /** An order to freeze for so long, by whatever clock, that ends then by the controller's. */
  void sayFreezeFor(Duration lasts, Instant until) {
    orders.clear();
    orders.add(order(RestartInstruction.FREEZE, "", until, null, false, lasts));
  }

  void say(RestartInstruction instruction, String leader, @Nullable Instant until) {
    orders.clear();
    orders.add(order(instruction, leader, until));
  }

  /** A pod whose training container runs. */
  void pod(String name, String container) {
    pod(name, "job", OLD, container, 0);
  }

  void pod(String name, String job, Instant created, String container, int restarts) {
    if (!container.isEmpty()) {
      node.containers.putIfAbsent(container, FakeNode.State.RUNS);
    }
    pods.put(
        name,
        new TrainingPod(
            "team",
            name,
            name + "-uid",
            job,
            job + "-uid",
            created,
            false,
            false,
            new TrainingContainer(container, restarts, !container.isEmpty()),
            Set.of()));
  }

  /** The kubelet reports another container in an old pod. */
  public void container(String name, String container, int restarts) {
    var pod = pod(name);
    if (!container.isEmpty()) {
      node.containers.putIfAbsent(container, FakeNode.State.RUNS);
    }
    put(pod, pod.deleting(), new TrainingContainer(container, restarts, !container.isEmpty()));
  }

  /** The kubelet says that the container of a pod has ended. */
  public void ended(String name) {
    var pod = pod(name);
    node.containers.put(pod.container().id(), FakeNode.State.DEAD);
    put(
        pod,
        pod.deleting(),
        new TrainingContainer(pod.container().id(), pod.container().restartCount(), false));
  }

  public void delete(String name) {
    put(pod(name), true, pod(name).container());
  }

  public void vanish(String name) {
    gone.add(pod(name));
    pods.remove(name);
  }

  /** The pod of this name, which there is. */
  TrainingPod pod(String name) {
    return Optional.ofNullable(pods.get(name)).orElseThrow();
  }

  private void put(TrainingPod pod, boolean deleting, TrainingContainer container) {
    pods.put(
        pod.name(),
        new TrainingPod(
            pod.namespace(),
            pod.name(),
            pod.uid(),
            pod.job(),
            pod.jobUid(),
            pod.created(),
            deleting,
            pod.finished(),
            container,
            pod.devices()));
  }

  public Duration round() {
    now = now.plusMillis(10);
    return loop.round();
  }

  public void rounds(int count) {
    for (int i = 0; i < count; i++) {
      round();
    }
  }

  public @Nullable RestartReportSpec report() {
    var report =
        crud.client
            .resources(RestartReport.class)
            .inNamespace("team")
            .withName("attempt-1.node-1")
            .get();
    return report == null ? null : report.getSpec();
  }

  /** How often a report was written. */
  public long writes() {
    return crud.requests.stream()
        .filter(request -> request.contains("restartreports"))
        .filter(request -> request.startsWith("POST") || request.startsWith("PUT"))
        .count();
  }

  @Override
  public void close() {
    crud.close();
  }
}
