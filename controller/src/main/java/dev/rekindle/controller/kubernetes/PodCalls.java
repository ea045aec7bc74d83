package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.kubernetes.convert.PodReader;
import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.GivenCheckpoint;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Labels;
import dev.rekindle.controller.model.PodView;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads and deletes the pods of a job. */
final class PodCalls {
  private final KubernetesClient client;
  private final ApiCalls api;

  PodCalls(KubernetesClient client, ApiCalls api) {
    this.client = client;
    this.api = api;
  }

  /**
   * Names come back in the next generation, so the UID is a precondition. Of two deletions of one
   * pod the shorter grace period holds.
   */
  void delete(String namespace, String name, String uid, Duration grace) {
    String path = "/api/v1/namespaces/" + namespace + "/pods/" + name;
    var options =
        new DeleteOptionsBuilder()
            .withApiVersion("v1")
            .withKind("DeleteOptions")
            .withGracePeriodSeconds(grace.toSeconds())
            .withNewPreconditions()
            .withUid(uid)
            .endPreconditions()
            .build();
    var _ = api.in(namespace).find(() -> deleted(path, options));
  }

  /** Names come back with other pods, so the UID is part of the patch: it cannot be changed. */
  void injectResume(String namespace, String name, String uid, GivenCheckpoint given) {
    Map<String, String> annotations = new LinkedHashMap<>();
    Long step = given.step();
    annotations.put(Annotations.RESUME_FROM, given.path());
    annotations.put(Annotations.RESUME_STEP, step == null ? "" : step.toString());
    annotations.put(Annotations.RESUME_FORMAT, given.format());
    annotations.put(Annotations.RESUME_ATTEMPT, given.attempt());
    String patch =
        client
            .getKubernetesSerialization()
            .asJson(Map.of("metadata", Map.of("uid", uid, "annotations", annotations)));
    var _ = api.in(namespace).find(() -> patched(namespace, name, patch));
  }

  private String patched(String namespace, String name, String patch) {
    try {
      var _ =
          client
              .pods()
              .inNamespace(namespace)
              // One requested by its name alone would be read first by the client.
              .resource(new PodBuilder().withNewMetadata().withName(name).endMetadata().build())
              .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
    } catch (KubernetesClientException error) {
      // Another pod has the name: the one meant is gone.
      if (error.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw error;
      }
    }
    return name;
  }

  private String deleted(String path, Object options) {
    try {
      var _ = client.raw(path, "DELETE", options);
    } catch (KubernetesClientException error) {
      // Another pod has the name: the one meant is gone.
      if (error.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw error;
      }
    }
    return path;
  }

  /** A list without a resource version is answered from etcd, not from a cache. */
  List<PodView> live(JobKey job) {
    return PagedList.of(
        api.in(job.namespace()),
        client
            .pods()
            .inNamespace(job.namespace())
            .withLabel(Labels.OPERATOR_NAME, Labels.PYTORCH_OPERATOR)
            .withLabel(Labels.JOB_NAME, job.name()),
        pod -> PodReader.read(pod).stream());
  }
}
