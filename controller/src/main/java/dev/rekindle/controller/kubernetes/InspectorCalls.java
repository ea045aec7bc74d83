package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.checkpoint.CheckpointReach;
import dev.rekindle.controller.checkpoint.NodesToInspect;
import dev.rekindle.controller.diagnosis.NodeFacts;
import dev.rekindle.controller.kubernetes.convert.CheckpointMount;
import dev.rekindle.controller.kubernetes.convert.InspectedNodes;
import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.kubernetes.convert.InspectorReport;
import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.placement.Exclusions;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.detect.checkpoint.Formats;
import dev.rekindle.detect.pod.PodFactsReader;
import dev.rekindle.detect.pod.PodFailure;
import dev.rekindle.detect.pod.PodFailures;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.kubeflow.v1.PyTorchJob;

/** Starts, reads and removes the checkpoint inspector of a recovery. */
final class InspectorCalls {
  static final String JOB_LABEL = InspectorJob.JOB_LABEL;

  private final KubernetesClient client;
  private final ApiCalls api;
  private final PodLogs logs;
  private final ClusterState state;
  private final InstantSource clock;
  private final InspectorJob inspector;
  private final InspectorReport report;
  private final VolumeLookup volumes;
  private final NodeInspectors each;

  /** The volume of a recovery's checkpoints, where not all nodes reach it alike. */
  private final Map<String, CheckpointReach.Volume> bound = new ConcurrentHashMap<>();

  InspectorCalls(
      KubernetesClient client,
      Circuits circuits,
      ClusterState state,
      InspectorJob inspector,
      InstantSource clock) {
    this.client = client;
    this.api = circuits.of("jobs");
    this.logs = new PodLogs(client, circuits);
    this.state = state;
    this.inspector = inspector;
    this.clock = clock;
    this.each = new NodeInspectors(state);
    this.volumes = new VolumeLookup(client, circuits);
    this.report = new InspectorReport(client.getKubernetesSerialization());
  }

  Optional<Inspection.Unable> start(JobCalls.Live job, String recovery) {
    JobKey key = job.view().key();
    PyTorchJob typed =
        client.getKubernetesSerialization().convertValue(job.raw(), PyTorchJob.class);
    String directory = job.view().checkpointDir();
    return switch (CheckpointMount.of(typed, directory)) {
      case CheckpointMount.Hidden(String reason) -> Optional.of(new Inspection.Unable(reason));
      case CheckpointMount.Visible found -> {
        Optional<CheckpointReach.Volume> volume = volumes.of(job.view(), found);
        if (found instanceof CheckpointMount.Found path
            && VolumeLookup.isAnywhere(job.view(), found, volume, state.nodes())) {
          yield startOnEach(job.view(), typed, path, recovery);
        }
        bind(key, recovery, volume.map(v -> VolumeLookup.ofJob(v, job.view(), found)));
        Optional<Inspection.Unable> away = away(key, recovery);
        if (away.isPresent()) {
          yield away;
        }
        create(
            inspector.build(
                key.namespace(),
                recovery,
                directory,
                format(typed),
                found,
                owner(job.view()),
                unfit(key, recovery)));
        yield Optional.empty();
      }
    };
  }

  /** On each node of the gang, where each has files of its own. */
  private Optional<Inspection.Unable> startOnEach(
      JobView job, PyTorchJob typed, CheckpointMount.Found at, String recovery) {
    JobKey key = job.key();
    return switch (each.choose(job, typed, at, recovery, unfitNodes(key, recovery))) {
      case NodesToInspect.None(String reason) -> Optional.of(new Inspection.Unable(reason));
      case NodesToInspect.Some some -> {
        bind(key, recovery, Optional.empty());
        create(
            InspectorJob.onEach(
                inspector.build(
                    key.namespace(),
                    recovery,
                    job.checkpointDir(),
                    format(typed),
                    at,
                    owner(job),
                    List.of()),
                new InspectedNodes(some.nodes(), some.hostnames(), some.away())));
        yield Optional.empty();
      }
    };
  }

  private void bind(JobKey key, String recovery, Optional<CheckpointReach.Volume> volume) {
    String id = key.namespace() + "/" + recovery;
    volume.ifPresentOrElse(v -> bound.put(id, v), () -> bound.remove(id));
  }

  /** Why the volume of a recovery's checkpoints cannot be inspected now; empty where it can. */
  private Optional<Inspection.Unable> away(JobKey key, String recovery) {
    CheckpointReach.Volume volume = bound.get(key.namespace() + "/" + recovery);
    if (volume == null) {
      return Optional.empty();
    }
    return switch (CheckpointReach.of(
        volume, state.nodes(), Set.copyOf(unfitNodes(key, recovery)))) {
      case CheckpointReach.Within _ -> Optional.empty();
      case CheckpointReach.Away(String reason) -> Optional.of(new Inspection.Unable(reason, true));
    };
  }

  /** As the owner names it; all are tried where that makes no sense. */
  private static String format(PyTorchJob job) {
    Map<String, String> annotations = job.getMetadata().getAnnotations();
    String named = annotations == null ? null : annotations.get(Annotations.CHECKPOINT_FORMAT);
    return named != null && Formats.isKnown(named) ? named : Formats.AUTO;
  }

  void create(Job job) {
    try {
      var _ = api.call(() -> client.resource(job).create());
    } catch (ClusterGateway.StaleException exists) {
      Job former = api.find(() -> client.resource(job).get()).orElse(null);
      // That of an earlier attempt, on its way out, would take its reports along.
      if (former == null || former.getMetadata().getDeletionTimestamp() != null) {
        throw exists;
      }
    }
  }

  static OwnerReference owner(JobView job) {
    return new OwnerReferenceBuilder()
        .withApiVersion("kubeflow.org/v1")
        .withKind("PyTorchJob")
        .withName(job.key().name())
        .withUid(job.uid())
        .build();
  }

  /** Host names of nodes that the recovery still holds for faulty or silent. */
  List<String> unfit(JobKey key, String recovery) {
    return unfitNodes(key, recovery).stream()
        .map(node -> state.node(node).map(NodeView::hostname).orElse(node))
        .toList();
  }

  private List<String> unfitNodes(JobKey key, String recovery) {
    return state.recoveries(key).stream()
        .filter(r -> r.name().equals(recovery))
        .map(RecoveryView::status)
        .filter(Objects::nonNull)
        .map(RecoveryStatus::cause)
        .filter(Objects::nonNull)
        .flatMap(cause -> excluded(cause).stream())
        .distinct()
        .sorted()
        .toList();
  }

  private List<String> excluded(RecoveryStatus.Cause cause) {
    Map<String, NodeView> nodes = new HashMap<>();
    cause.silentNodes().forEach(n -> state.node(n).ifPresent(view -> nodes.put(n, view)));
    // As they are judged: what a reboot has cleared keeps no inspector from the only copy.
    Instant now = clock.instant();
    List<FaultView> faults =
        cause.faultyNodes().stream()
            .flatMap(n -> NodeFacts.faults(state, n, now).stream())
            .toList();
    return Exclusions.of(cause, nodes, faults);
  }

  Inspection inspect(JobKey key, String recovery) {
    String name = InspectorJob.name(recovery);
    Optional<Job> job =
        api.find(
            () -> client.batch().v1().jobs().inNamespace(key.namespace()).withName(name).get());
    if (job.isEmpty()) {
      return new Inspection.Absent();
    }
    List<Pod> pods =
        api.call(() -> client.pods().inNamespace(key.namespace()).withLabel(JOB_LABEL, name).list())
            .getItems();
    Optional<InspectedNodes> nodes = InspectedNodes.of(job.get());
    if (nodes.isPresent()) {
      return failed(job.get())
          .or(() -> pods.stream().flatMap(p -> cannotStart(p).stream()).findFirst())
          .<Inspection>map(Inspection.Unable::new)
          .orElseGet(() -> each.read(key, recovery, nodes.get(), pods, pod -> read(key, pod)));
    }
    Optional<Pod> pod = InspectorPods.current(pods);
    Optional<Inspection> seen = pod.flatMap(p -> read(key, p));
    if (seen.isPresent()) {
      return seen.get();
    }
    // Its pod waits for a node that went away after it was started.
    Optional<Inspection.Unable> away = away(key, recovery);
    if (away.isPresent()) {
      return away.get();
    }
    return failed(job.get())
        .or(() -> pod.flatMap(InspectorCalls::cannotStart))
        .<Inspection>map(Inspection.Unable::new)
        .orElseGet(
            () ->
                new Inspection.Pending(
                    pod.map(InspectorCalls::waitsFor).orElse("no pod of the inspector yet")));
  }

  /** The newest report of a pod that has begun to run. */
  private Optional<Inspection> read(JobKey key, Pod pod) {
    String directory = state.job(key).map(JobView::checkpointDir).orElse("");
    try {
      return logs.tail(pod).flatMap(tail -> report.newest(tail, directory));
    } catch (CallException unreadable) {
      return Optional.of(
          new Inspection.Pending("the inspector's log cannot be read: " + unreadable.text()));
    }
  }

  static Optional<String> failed(Job job) {
    if (job.getStatus() == null || job.getStatus().getConditions() == null) {
      return Optional.empty();
    }
    return job.getStatus().getConditions().stream()
        .filter(c -> "Failed".equals(c.getType()) && "True".equals(c.getStatus()))
        .findFirst()
        .map(c -> "The inspector failed: " + c.getReason() + ", " + c.getMessage());
  }

  /** An image that is being pulled may come; a container that is refused stays refused. */
  static Optional<String> cannotStart(Pod pod) {
    return PodFailures.all(PodFactsReader.read(pod)).stream()
        .filter(failure -> failure.kind() == PodFailure.Kind.START_ERROR)
        .findFirst()
        .map(failure -> "The inspector cannot start: " + failure.evidence());
  }

  static String waitsFor(Pod pod) {
    if (pod.getStatus() == null) {
      return "the inspector's pod is new";
    }
    return Objects.requireNonNullElse(
            pod.getStatus().getContainerStatuses(), List.<ContainerStatus>of())
        .stream()
        .filter(c -> c.getState() != null && c.getState().getWaiting() != null)
        .findFirst()
        .map(c -> "the inspector's container waits: " + c.getState().getWaiting().getReason())
        .orElse("the inspector's pod is " + pod.getStatus().getPhase());
  }

  void stop(JobKey key, String recovery) {
    bound.remove(key.namespace() + "/" + recovery);
    each.forget(key, recovery);
    var _ =
        api.find(
            () ->
                client
                    .batch()
                    .v1()
                    .jobs()
                    .inNamespace(key.namespace())
                    .withName(InspectorJob.name(recovery))
                    .withPropagationPolicy(DeletionPropagation.BACKGROUND)
                    .withGracePeriod(0)
                    .delete());
  }
}
