package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.checkpoint.CheckpointReach;
import dev.rekindle.controller.checkpoint.NodesToInspect;
import dev.rekindle.controller.kubernetes.convert.CheckpointMount;
import dev.rekindle.controller.kubernetes.convert.InspectedNodes;
import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.kubernetes.convert.InspectorReport;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterState;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.kubeflow.v1.PyTorchJob;

/** Starts, reads and removes the checkpoint inspector of a recovery. */
final class InspectorCalls {
  static final String JOB_LABEL = InspectorJob.JOB_LABEL;

  private final KubernetesClient client;
  private final ApiCalls api;
  private final PodLogs logs;
  private final ClusterState state;
  private final UnfitNodes unfit;
  private final InspectedVolumes bound;
  private final InspectorJob inspector;
  private final InspectorReport report;
  private final VolumeLookup volumes;
  private final NodeInspectors each;

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
    this.unfit = new UnfitNodes(state, clock);
    this.bound = new InspectedVolumes(state, unfit);
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
        bound.bind(key, recovery, volume.map(v -> VolumeLookup.ofJob(v, job.view(), found)));
        Optional<Inspection.Unable> away = bound.away(key, recovery);
        if (away.isPresent()) {
          yield away;
        }
        create(
            inspector.build(
                key.namespace(),
                recovery,
                directory,
                InspectorJob.format(typed),
                found,
                owner(job.view()),
                unfit.hostnames(key, recovery)));
        yield Optional.empty();
      }
    };
  }

  /** On each node of the gang, where each has files of its own. */
  private Optional<Inspection.Unable> startOnEach(
      JobView job, PyTorchJob typed, CheckpointMount.Found at, String recovery) {
    JobKey key = job.key();
    return switch (each.choose(job, typed, at, recovery, unfit.of(key, recovery))) {
      case NodesToInspect.None(String reason) -> Optional.of(new Inspection.Unable(reason));
      case NodesToInspect.Some some -> {
        bound.bind(key, recovery, Optional.empty());
        create(
            InspectorJob.onEach(
                inspector.build(
                    key.namespace(),
                    recovery,
                    job.checkpointDir(),
                    InspectorJob.format(typed),
                    at,
                    owner(job),
                    List.of()),
                new InspectedNodes(some.nodes(), some.hostnames(), some.away())));
        yield Optional.empty();
      }
    };
  }

  void create(Job job) {
    ApiCalls calls = api.in(job.getMetadata().getNamespace());
    try {
      var _ = calls.call(() -> client.resource(job).create());
    } catch (ClusterGateway.StaleException exists) {
      Job former = calls.find(() -> client.resource(job).get()).orElse(null);
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

  /** The nodes that no inspector goes to. */
  UnfitNodes unfit() {
    return unfit;
  }

  Inspection inspect(JobKey key, String recovery) {
    String name = InspectorJob.name(recovery);
    Optional<Job> job =
        api.in(key.namespace())
            .find(
                () -> client.batch().v1().jobs().inNamespace(key.namespace()).withName(name).get());
    if (job.isEmpty()) {
      return new Inspection.Absent();
    }
    List<Pod> pods =
        InspectorPods.of(
            api.in(key.namespace()),
            client.pods().inNamespace(key.namespace()).withLabel(JOB_LABEL, name));
    Optional<InspectedNodes> nodes = InspectedNodes.of(job.get());
    if (nodes.isPresent()) {
      return InspectorProgress.failed(job.get())
          .or(
              () ->
                  pods.stream().flatMap(p -> InspectorProgress.cannotStart(p).stream()).findFirst())
          .<Inspection>map(Inspection.Unable::new)
          .orElseGet(() -> each.read(key, recovery, nodes.get(), pods, pod -> read(key, pod)));
    }
    Optional<Pod> pod = InspectorPods.current(pods);
    Optional<Inspection> seen = pod.flatMap(p -> read(key, p));
    Inspection said =
        bound.orAway(key, recovery, seen.orElse(new Inspection.Pending("no report yet")));
    if (seen.isPresent() || said instanceof Inspection.Unable) {
      return said;
    }
    return InspectorProgress.failed(job.get())
        .or(() -> pod.flatMap(InspectorProgress::cannotStart))
        .<Inspection>map(Inspection.Unable::new)
        .orElseGet(
            () ->
                new Inspection.Pending(
                    pod.map(InspectorProgress::waitsFor).orElse("no pod of the inspector yet")));
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

  void stop(JobKey key, String recovery) {
    bound.forget(key, recovery);
    each.forget(key, recovery);
    var _ =
        api.in(key.namespace())
            .find(
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
