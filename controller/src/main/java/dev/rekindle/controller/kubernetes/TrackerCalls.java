package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.TrackerChange;
import dev.rekindle.controller.kubernetes.convert.CheckpointMount;
import dev.rekindle.controller.kubernetes.convert.TrackerJob;
import dev.rekindle.controller.kubernetes.convert.TrackerReport;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.TrackerOrder;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Optional;
import org.kubeflow.v1.PyTorchJob;

/** Starts and reads what makes a tracker name the pinned checkpoint. */
final class TrackerCalls {
  private final KubernetesClient client;
  private final ApiCalls api;
  private final PodLogs logs;
  private final InspectorCalls inspectors;
  private final TrackerJob tracker;
  private final TrackerReport report;

  TrackerCalls(
      KubernetesClient client, Circuits circuits, InspectorCalls inspectors, TrackerJob tracker) {
    this.client = client;
    this.api = circuits.of("jobs");
    this.logs = new PodLogs(client, circuits);
    this.inspectors = inspectors;
    this.tracker = tracker;
    this.report = new TrackerReport(client.getKubernetesSerialization());
  }

  void start(JobCalls.Live job, TrackerOrder order) {
    if (mount(job) instanceof CheckpointMount.Found found) {
      JobKey key = job.view().key();
      inspectors.create(
          tracker.build(
              key.namespace(),
              order,
              job.view().checkpointDir(),
              found,
              InspectorCalls.owner(job.view()),
              inspectors.unfit().hostnames(key, order.recovery())));
    }
  }

  private CheckpointMount mount(JobCalls.Live job) {
    PyTorchJob typed =
        client.getKubernetesSerialization().convertValue(job.raw(), PyTorchJob.class);
    return CheckpointMount.of(typed, job.view().checkpointDir());
  }

  TrackerView read(JobCalls.Live job, TrackerOrder order) {
    Optional<TrackerChange> refusal = TrackerJob.refusal(mount(job), job.view().checkpointDir());
    if (refusal.isPresent()) {
      return new TrackerView.Ended(refusal.get());
    }
    String namespace = job.view().key().namespace();
    String name = TrackerJob.name(order);
    Optional<Job> started =
        api.in(namespace)
            .find(() -> client.batch().v1().jobs().inNamespace(namespace).withName(name).get());
    if (started.isEmpty()) {
      return new TrackerView.Absent();
    }
    List<Pod> pods =
        InspectorPods.of(
            api.in(namespace),
            client.pods().inNamespace(namespace).withLabel(InspectorCalls.JOB_LABEL, name));
    Optional<TrackerView> over = pods.stream().findFirst().flatMap(this::said);
    return over.or(
            () ->
                pods.stream()
                    .findFirst()
                    .flatMap(InspectorProgress::cannotStart)
                    .or(() -> InspectorProgress.failed(started.get()))
                    .map(why -> new TrackerView.Ended(TrackerChange.refused(why))))
        .orElseGet(
            () ->
                new TrackerView.Pending(
                    pods.stream()
                        .findFirst()
                        .map(InspectorProgress::waitsFor)
                        .orElse("no pod of it yet")));
  }

  /** What the pod has printed; it prints one line at its end. */
  private Optional<TrackerView> said(Pod pod) {
    try {
      return logs.tail(pod).flatMap(report::of).map(TrackerView.Ended::new);
    } catch (CallException unreadable) {
      return Optional.of(new TrackerView.Pending("its log cannot be read: " + unreadable.text()));
    }
  }
}
