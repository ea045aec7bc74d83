package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.kubernetes.convert.KueueReader;
import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Labels;
import dev.rekindle.controller.model.QueueView;
import dev.rekindle.controller.model.WorkloadView;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.JobGuard;
import io.fabric8.kubernetes.api.model.APIGroup;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes Workloads and ClusterQueues of Kueue, in the version that the API server likes
 * best. Each write names the version of the object that it was made from.
 */
final class KueueCalls {
  private static final String GROUP = "kueue.x-k8s.io";

  private final KubernetesClient client;
  private final ApiCalls workloads;
  private final ApiCalls queues;
  private final InstantSource clock;

  KueueCalls(KubernetesClient client, Circuits circuits, InstantSource clock) {
    this.client = client;
    this.workloads = circuits.of("workloads");
    this.queues = circuits.of("clusterqueues");
    this.clock = clock;
  }

  /** Workloads of the job of that UID as the API server has them now; none where Kueue is not. */
  List<WorkloadView> workloads(JobKey job, String uid) {
    return version(workloads).stream()
        .flatMap(
            version ->
                workloads.in(job.namespace()).call(() -> list(client, version, job, uid)).stream())
        .toList();
  }

  /**
   * The same, once, with the rights of a user.
   *
   * @throws KubernetesClientException where they may not be read
   */
  static List<WorkloadView> workloads(KubernetesClient client, JobKey job, String uid) {
    return preferred(client.getApiGroup(GROUP)).stream()
        .flatMap(version -> list(client, version, job, uid).stream())
        .toList();
  }

  private static List<WorkloadView> list(
      KubernetesClient client, String version, JobKey job, String uid) {
    return of(client, version, "workloads", "Workload", true)
        .inNamespace(job.namespace())
        .withLabel(Labels.KUEUE_JOB_UID, uid)
        .list()
        .getItems()
        .stream()
        .map(KueueReader::workload)
        .flatMap(Optional::stream)
        .filter(workload -> workload.jobUid().equals(uid))
        .toList();
  }

  /** Takes {@code active} away in the name of a recovery: Kueue stops the job. */
  void stop(WorkloadView workload, String recovery) {
    write(workload, false, recovery);
  }

  /** Lets Kueue admit the job again, and takes our mark off. */
  void start(WorkloadView workload) {
    write(workload, true, null);
  }

  private void write(WorkloadView seen, boolean active, @Nullable String recovery) {
    String version = version(workloads).orElseThrow(KueueCalls::gone);
    ApiCalls calls = workloads.in(seen.namespace());
    Resource<GenericKubernetesResource> at =
        of(client, version, "workloads", "Workload", true)
            .inNamespace(seen.namespace())
            .withName(seen.name());
    GenericKubernetesResource now =
        Optional.ofNullable(calls.answer(at::get)).orElseThrow(KueueCalls::gone);
    WorkloadView view = KueueReader.workload(now).orElseThrow(KueueCalls::gone);
    String by = recovery == null ? "" : recovery;
    if (!JobGuard.writesWorkload(seen, view, active, by)) {
      return;
    }
    String patch =
        patch(now, Map.of("active", active), annotations(Annotations.SUSPENDED_BY, recovery));
    var _ = calls.answer(() -> at.patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }

  /** Takes our mark off a Workload that is active again. */
  void unmark(JobKey job, String uid) {
    workloads.change(
        () ->
            workloads(job, uid).stream()
                .filter(workload -> workload.active() && !workload.stoppedBy().isEmpty())
                .forEach(this::start));
  }

  /**
   * Lets a ClusterQueue admit nothing, unless it does not anyway.
   *
   * @param holder for whom, see {@link QueueView#holder}
   */
  void hold(String queue, String holder) {
    queues.change(() -> tryHold(queue, holder));
  }

  private void tryHold(String queue, String holder) {
    String version = version(queues).orElseThrow(KueueCalls::noQueue);
    Resource<GenericKubernetesResource> at =
        of(client, version, "clusterqueues", "ClusterQueue", false).withName(queue);
    GenericKubernetesResource now =
        Optional.ofNullable(queues.answer(at::get)).orElseThrow(KueueCalls::noQueue);
    QueueView view = KueueReader.queue(now).orElseThrow();
    if (view.stopped() || !view.heldFor().isEmpty()) {
      return;
    }
    Instant at0 = clock.instant().truncatedTo(ChronoUnit.SECONDS);
    Map<String, @Nullable Object> annotations = annotations(Annotations.HELD_FOR, holder);
    annotations.put(Annotations.HELD_AT, at0.toString());
    String patch = patch(now, Map.of("stopPolicy", "Hold"), annotations);
    var _ = queues.answer(() -> at.patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }

  /** Lets a ClusterQueue that is held for a recovery of the job admit again. */
  void release(String queue, JobKey job) {
    queues.change(() -> tryRelease(queue, job));
  }

  private void tryRelease(String queue, JobKey job) {
    Optional<String> version = version(queues);
    if (version.isEmpty()) {
      return;
    }
    Resource<GenericKubernetesResource> at =
        of(client, version.get(), "clusterqueues", "ClusterQueue", false).withName(queue);
    GenericKubernetesResource now = queues.answer(at::get);
    if (now == null || KueueReader.queue(now).filter(view -> view.heldFor(job)).isEmpty()) {
      return;
    }
    String patch =
        patch(now, Map.of("stopPolicy", "None"), annotations(Annotations.HELD_FOR, null));
    var _ = queues.answer(() -> at.patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }

  private String patch(
      GenericKubernetesResource now,
      Map<String, Object> spec,
      Map<String, @Nullable Object> annotations) {
    Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
    metadata.put("resourceVersion", now.getMetadata().getResourceVersion());
    metadata.put("uid", now.getMetadata().getUid());
    metadata.put("annotations", annotations);
    return client
        .getKubernetesSerialization()
        .asJson(new LinkedHashMap<>(Map.of("metadata", metadata, "spec", spec)));
  }

  private static Map<String, @Nullable Object> annotations(String name, @Nullable String value) {
    Map<String, @Nullable Object> annotations = new LinkedHashMap<>();
    annotations.put(name, value);
    return annotations;
  }

  private Optional<String> version(ApiCalls calls) {
    return calls.find(() -> client.getApiGroup(GROUP)).flatMap(KueueCalls::preferred);
  }

  private static Optional<String> preferred(@Nullable APIGroup group) {
    return Optional.ofNullable(group)
        .map(APIGroup::getPreferredVersion)
        .map(version -> version.getVersion());
  }

  private static MixedOperation<
          GenericKubernetesResource,
          GenericKubernetesResourceList,
          Resource<GenericKubernetesResource>>
      of(KubernetesClient client, String version, String plural, String kind, boolean namespaced) {
    return client.genericKubernetesResources(
        new ResourceDefinitionContext.Builder()
            .withGroup(GROUP)
            .withVersion(version)
            .withPlural(plural)
            .withKind(kind)
            .withNamespaced(namespaced)
            .build());
  }

  private static StaleException gone() {
    return new StaleException("the Workload of the job is gone");
  }

  private static StaleException noQueue() {
    return new StaleException("the ClusterQueue of the job is gone");
  }
}
