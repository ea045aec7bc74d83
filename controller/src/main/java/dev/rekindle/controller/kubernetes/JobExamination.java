package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.RankReportStatus.Witnesses;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.cache.ViewFeed;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.diagnosis.NodeFacts;
import dev.rekindle.controller.doctor.ExaminedJob;
import dev.rekindle.controller.kubernetes.convert.CheckpointMount;
import dev.rekindle.controller.kubernetes.convert.JobReader;
import dev.rekindle.controller.kubernetes.convert.NodeReader;
import dev.rekindle.controller.kubernetes.convert.PodReader;
import dev.rekindle.controller.kubernetes.convert.SpareReader;
import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Labels;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.model.TrainingContainer;
import dev.rekindle.controller.model.WorkloadView;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.port.Changes;
import dev.rekindle.detect.WatchedNamespaces;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.kubeflow.v1.PyTorchJob;

/**
 * Reads jobs and what is reported of them, once, with the rights of a user. Nodes, faults and
 * policies are read for the first job and used for all.
 */
public final class JobExamination {
  private final KubernetesClient client;
  private final Instant now;
  private Optional<Map<String, Optional<Policy>>> policies = Optional.empty();
  private boolean policiesAsked;
  private @Nullable List<FaultView> faults;

  /** Reads with that client, at that time. */
  public JobExamination(KubernetesClient client, Instant now) {
    this.client = client;
    this.now = now;
  }

  private record Places(Map<String, NodeView> nodes, List<FaultView> faults) {}

  /**
   * What the API server shows. Objects outside of the namespace may be refused: they are left out.
   *
   * @return empty where there is no such job
   * @throws KubernetesClientException where an object of the namespace cannot be read
   */
  public Optional<ExaminedJob> of(String namespace, String name) {
    var object = client.resources(PyTorchJob.class).inNamespace(namespace).withName(name).get();
    return Optional.ofNullable(object).map(this::examined);
  }

  /** The same of a job that has been read already. */
  ExaminedJob examined(PyTorchJob object) {
    JobView alone = JobReader.read(object);
    JobKey key = alone.key();
    JobView job = QueuedJob.with(alone, workloads(key, alone));
    List<Pod> raw =
        client
            .pods()
            .inNamespace(key.namespace())
            .withLabel(Labels.JOB_NAME, key.name())
            .list()
            .getItems();
    List<PodView> pods =
        raw.stream()
            .map(PodReader::read)
            .flatMap(Optional::stream)
            .filter(pod -> pod.jobUid().equals(job.uid()))
            .toList();
    var written = client.resources(RankReport.class).inNamespace(key.namespace()).list().getItems();
    var reports =
        written.stream()
            .map(Views::rank)
            .flatMap(Optional::stream)
            .filter(rank -> rank.job().equals(key))
            .toList();
    var recoveries =
        client.resources(Recovery.class).inNamespace(key.namespace()).list().getItems().stream()
            .map(Views::recovery)
            .flatMap(Optional::stream)
            .filter(r -> r.spec().jobRef().uid().equals(job.uid()))
            .toList();
    var ruled = policies().map(all -> ruled(job, all));
    var places = places(pods);
    return new ExaminedJob(
        new JobSnapshot(
            ruled.map(RuledJob::job).orElse(job),
            pods,
            places.map(Places::nodes).orElse(Map.of()),
            places.map(Places::faults).orElse(List.of()),
            reports,
            recoveries),
        ruled.map(RuledJob::policy),
        ruled.map(RuledJob::note).orElse(""),
        places.isPresent(),
        hidden(object, job),
        raw.stream()
            .collect(Collectors.toMap(p -> p.getMetadata().getUid(), JobExamination::variables)),
        witnesses(written, pods),
        watched(),
        new SpiderpoolExamination(client).of(key.namespace()),
        spares(key, job));
  }

  private List<SpareView> spares(JobKey key, JobView job) {
    return client
        .pods()
        .inNamespace(key.namespace())
        .withLabel(Labels.COMPONENT, Labels.SPARE)
        .list()
        .getItems()
        .stream()
        .map(SpareReader::read)
        .flatMap(Optional::stream)
        .filter(spare -> spare.jobUid().equals(job.uid()))
        .toList();
  }

  /** Why its checkpoints are judged nowhere. */
  private String hidden(PyTorchJob object, JobView job) {
    return switch (CheckpointMount.of(object, job.checkpointDir())) {
      case CheckpointMount.Hidden(String why) -> why;
      case CheckpointMount.Visible _ -> "";
    };
  }

  /** None where they may not be read either. */
  private List<WorkloadView> workloads(JobKey key, JobView job) {
    if (!QueuedJob.isOne(job)) {
      return List.of();
    }
    try {
      return KueueCalls.workloads(client, key, job.uid());
    } catch (KubernetesClientException refused) {
      return List.of();
    }
  }

  /** By the agent of the pod's own node. */
  private static Map<String, Witnesses> witnesses(List<RankReport> reports, List<PodView> pods) {
    Map<String, String> nodes = new HashMap<>();
    pods.forEach(pod -> nodes.put(pod.uid(), pod.node()));
    Map<String, Witnesses> found = new HashMap<>();
    for (RankReport report : reports) {
      var spec = report.getSpec();
      var status = report.getStatus();
      if (spec != null
          && status != null
          && status.witnesses() != null
          && spec.node().equals(nodes.get(spec.podUid()))) {
        found.put(spec.podUid(), status.witnesses());
      }
    }
    return found;
  }

  private static RuledJob ruled(JobView job, Map<String, Optional<Policy>> all) {
    return RuledJob.of(
        job,
        all.getOrDefault(RuledJob.DEFAULT, Optional.empty()),
        all.getOrDefault(job.policy(), Optional.empty()),
        List.copyOf(all.keySet()));
  }

  /** By name, an unusable one empty; absent where they cannot be read. */
  Optional<Map<String, Optional<Policy>>> policies() {
    if (!policiesAsked) {
      policiesAsked = true;
      policies = readPolicies();
    }
    return policies;
  }

  private Optional<Map<String, Optional<Policy>>> readPolicies() {
    try {
      return Optional.of(
          client.resources(RecoveryPolicy.class).list().getItems().stream()
              .collect(Collectors.toMap(p -> p.getMetadata().getName(), Views::policy)));
    } catch (KubernetesClientException refused) {
      return Optional.empty();
    }
  }

  /** As the chart has noted it; all where it cannot be read. */
  private WatchedNamespaces watched() {
    try {
      var policy = client.resources(RecoveryPolicy.class).withName(RuledJob.DEFAULT).get();
      var notes = policy == null ? null : policy.getMetadata().getAnnotations();
      return WatchedNamespaces.parse(
          notes == null ? "" : notes.getOrDefault(Annotations.WATCHED, ""));
    } catch (KubernetesClientException | IllegalArgumentException unreadable) {
      return WatchedNamespaces.ALL;
    }
  }

  private Optional<Places> places(List<PodView> pods) {
    var names = pods.stream().map(PodView::node).collect(Collectors.toSet());
    try {
      Map<String, NodeView> nodes = new HashMap<>();
      for (String name : names) {
        var node = name.isEmpty() ? null : client.nodes().withName(name).get();
        if (node != null) {
          nodes.put(name, NodeReader.read(node));
        }
      }
      return Optional.of(new Places(nodes, weighed(pods, nodes, faults())));
    } catch (KubernetesClientException refused) {
      return Optional.empty();
    }
  }

  private List<FaultView> faults() {
    if (faults == null) {
      faults =
          client.resources(NodeFault.class).list().getItems().stream()
              .map(Views::fault)
              .flatMap(Optional::stream)
              .toList();
    }
    return faults;
  }

  /** The faults of these nodes as the controller takes them in and weighs them. */
  private List<FaultView> weighed(
      List<PodView> pods, Map<String, NodeView> nodes, List<FaultView> all) {
    FlatState state = new FlatState(Changes.to(_ -> {}, _ -> {}, _ -> {}));
    nodes.forEach((name, node) -> state.nodeFeed().present(name, null, node));
    policies()
        .orElse(Map.of())
        .forEach(
            (name, policy) ->
                policy.ifPresent(usable -> state.policyFeed().present(name, null, usable)));
    pods.forEach(
        pod -> state.podFeed().present(pod.job().namespace() + "/" + pod.name(), null, pod));
    ViewFeed<FaultView> feed = state.faultFeed();
    all.forEach(fault -> feed.present(fault.name(), null, fault));
    return nodes.keySet().stream()
        .sorted()
        .flatMap(node -> NodeFacts.faults(state, node, now).stream())
        .toList();
  }

  private static Map<String, String> variables(Pod pod) {
    Map<String, String> all = new HashMap<>();
    pod.getSpec().getContainers().stream()
        .filter(c -> TrainingContainer.NAME.equals(c.getName()) && c.getEnv() != null)
        .flatMap(c -> c.getEnv().stream())
        .forEach(v -> all.put(v.getName(), Objects.requireNonNullElse(v.getValue(), "")));
    return all;
  }
}
