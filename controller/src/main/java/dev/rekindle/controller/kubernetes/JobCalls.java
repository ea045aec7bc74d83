package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.kubernetes.convert.JobReader;
import dev.rekindle.controller.kubernetes.convert.ResumePatch;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.model.WorkloadView;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.JobGuard;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.kubeflow.v1.PyTorchJob;

/**
 * Writes PyTorchJobs. Each write is a merge patch made from a read of this moment and refused by
 * the API server when the object has changed since.
 */
final class JobCalls {
  private static final ResourceDefinitionContext PYTORCH_JOBS =
      ResourceDefinitionContext.fromResourceType(PyTorchJob.class);

  private final KubernetesClient client;
  private final ApiCalls api;
  private final KueueCalls kueue;
  private final Predicate<JobKey> queued;

  /**
   * @param queued whether a Workload of the job of that name is known, whatever the job's labels
   *     say
   */
  JobCalls(KubernetesClient client, ApiCalls api, KueueCalls kueue, Predicate<JobKey> queued) {
    this.queued = queued;
    this.client = client;
    this.api = api;
    this.kueue = kueue;
  }

  /**
   * A job as the API server has it now.
   *
   * @param raw the whole object
   */
  record Live(JobView view, Map<String, @Nullable Object> raw) {
    Map<String, @Nullable Object> identity() {
      Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
      if (raw.get("metadata") instanceof Map<?, ?> meta) {
        metadata.put("resourceVersion", meta.get("resourceVersion"));
        metadata.put("uid", meta.get("uid"));
      }
      return metadata;
    }
  }

  void suspend(JobKey key, String uid, String recovery, String attempt) {
    api.change(() -> trySuspend(key, uid, recovery, attempt));
  }

  private void trySuspend(JobKey key, String uid, String recovery, String attempt) {
    Live job = get(key, uid);
    if (!JobGuard.suspends(job.view(), recovery, attempt)) {
      return;
    }
    Optional<WorkloadView> workload = QueuedJob.workload(job.view());
    if (workload.isPresent()) {
      kueue.stop(workload.get(), recovery);
      return;
    }
    String json = json(ResumePatch.suspended(job.raw(), recovery));
    var _ =
        api.in(key.namespace())
            .answer(() -> at(key).patch(PatchContext.of(PatchType.JSON_MERGE), json));
  }

  void revive(JobKey key, String uid, String recovery) {
    api.change(() -> tryRevive(key, uid, recovery));
  }

  private void tryRevive(JobKey key, String uid, String recovery) {
    Live job = get(key, uid);
    if (!JobGuard.revives(job.view(), recovery)) {
      return;
    }
    Map<String, @Nullable Object> status = new LinkedHashMap<>();
    status.put("conditions", conditionsWithoutFailed(job.raw()));
    status.put("completionTime", null);
    Map<String, @Nullable Object> patch = new LinkedHashMap<>();
    patch.put("metadata", job.identity());
    patch.put("status", status);
    String json = json(patch);
    var _ =
        api.in(key.namespace())
            .answer(
                () ->
                    at(key)
                        .subresource("status")
                        .patch(PatchContext.of(PatchType.JSON_MERGE), json));
  }

  private static List<?> conditionsWithoutFailed(Map<String, @Nullable Object> job) {
    if (job.get("status") instanceof Map<?, ?> status
        && status.get("conditions") instanceof List<?> conditions) {
      return conditions.stream()
          .filter(c -> !(c instanceof Map<?, ?> map && "Failed".equals(map.get("type"))))
          .toList();
    }
    return List.of();
  }

  void resume(JobKey key, String uid, ResumeOrder order) {
    api.change(() -> tryResume(key, uid, order));
  }

  private void tryResume(JobKey key, String uid, ResumeOrder order) {
    Live job = get(key, uid);
    if (!JobGuard.resumes(job.view(), order)) {
      return;
    }
    Optional<WorkloadView> workload = QueuedJob.workload(job.view());
    String json =
        json(
            workload.isPresent()
                ? ResumePatch.underKueue(job.raw(), order)
                : ResumePatch.of(job.raw(), order));
    var _ =
        api.in(key.namespace())
            .answer(() -> at(key).patch(PatchContext.of(PatchType.JSON_MERGE), json));
    // Last, so that Kueue starts nothing from templates of before.
    workload.ifPresent(kueue::start);
  }

  void clearResume(JobKey key, String uid) {
    api.change(() -> tryClearResume(key, uid));
  }

  private void tryClearResume(JobKey key, String uid) {
    Live job = get(key, uid);
    if (job.view().templateNamesCheckpoint()) {
      String json = json(ResumePatch.cleared(job.raw()));
      var _ =
          api.in(key.namespace())
              .answer(() -> at(key).patch(PatchContext.of(PatchType.JSON_MERGE), json));
    }
  }

  void planNodes(JobKey key, String uid, List<String> hostnames) {
    api.change(() -> tryPlanNodes(key, uid, hostnames));
  }

  private void tryPlanNodes(JobKey key, String uid, List<String> hostnames) {
    Live job = get(key, uid);
    if (JobGuard.plansNodes(job.view(), hostnames)) {
      String json = json(ResumePatch.planned(job.raw(), hostnames));
      var _ =
          api.in(key.namespace())
              .answer(() -> at(key).patch(PatchContext.of(PatchType.JSON_MERGE), json));
    }
  }

  /** Whether the job of that UID is there, requested live. */
  boolean exists(JobKey key, String uid) {
    return api.in(key.namespace())
        .find(() -> at(key).get())
        .filter(found -> uid.equals(found.getMetadata().getUid()))
        .isPresent();
  }

  /**
   * The job of that UID.
   *
   * @throws StaleException when it is gone or another one has its name
   */
  Live get(JobKey key, String uid) {
    GenericKubernetesResource object =
        api.in(key.namespace())
            .find(() -> at(key).get())
            .orElseThrow(() -> new StaleException("job " + key + " is gone"));
    if (!Objects.equals(object.getMetadata().getUid(), uid)) {
      throw new StaleException("job " + key + " is another one of the name");
    }
    var serialization = client.getKubernetesSerialization();
    @SuppressWarnings("unchecked") // a JSON object
    Map<String, @Nullable Object> raw =
        (Map<String, @Nullable Object>) serialization.convertValue(object, Map.class);
    JobView view = JobReader.read(serialization.convertValue(object, PyTorchJob.class));
    return QueuedJob.isOne(view) || queued.test(key)
        ? new Live(QueuedJob.with(view, kueue.workloads(key, uid)), raw)
        : new Live(view, raw);
  }

  private Resource<GenericKubernetesResource> at(JobKey key) {
    return client
        .genericKubernetesResources(PYTORCH_JOBS)
        .inNamespace(key.namespace())
        .withName(key.name());
  }

  private String json(Map<String, @Nullable Object> patch) {
    return client.getKubernetesSerialization().asJson(patch);
  }
}
