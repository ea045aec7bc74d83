package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.kubernetes.convert.SparePod;
import dev.rekindle.controller.kubernetes.convert.SpareTemplate;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.SpareOrder;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.kubeflow.v1.PyTorchJob;

/** Makes warm spares. */
final class SpareCalls {
  private static final int UNPROCESSABLE = 422;
  private static final List<String> SHARED = List.of("ReadWriteMany", "ReadOnlyMany");

  private final KubernetesClient client;
  private final ApiCalls pods;
  private final ApiCalls claims;
  private final SparePod spare;

  SpareCalls(KubernetesClient client, Circuits circuits, SparePod spare) {
    this.client = client;
    this.pods = circuits.of("pods");
    this.claims = circuits.of("persistentvolumeclaims");
    this.spare = spare;
  }

  void add(JobCalls.Live job, SpareOrder order) {
    if (spare.priorityClass().isEmpty()) {
      throw new RefusedException(
          HttpURLConnection.HTTP_FORBIDDEN,
          "the chart allows no warm spares: its value spares.enabled is false");
    }
    if (!job.view().spares().template().equals(order.template())) {
      throw new StaleException("job " + job.view().key() + " has another template");
    }
    PodSpec worker = template(job, order.replica());
    String problem = SpareTemplate.problem(worker);
    if (worker == null || !problem.isEmpty()) {
      throw new RefusedException(UNPROCESSABLE, problem);
    }
    JobKey key = job.view().key();
    OwnerReference owner = InspectorCalls.owner(job.view());
    Pod pod = build(key, order, owner, worker);
    try {
      var _ = pods.in(key.namespace()).call(() -> client.resource(pod).create());
    } catch (StaleException exists) {
      Pod there = pods.in(key.namespace()).find(() -> client.resource(pod).get()).orElse(null);
      if (there == null || !isOurs(there, owner)) {
        throw exists;
      }
    }
  }

  private Pod build(JobKey key, SpareOrder order, OwnerReference owner, PodSpec worker) {
    List<String> shared = shared(key.namespace(), worker);
    try {
      return spare.build(key, order, owner, worker, shared);
    } catch (RuntimeException odd) {
      // The template is the tenant's, and its CRD lets much through that no pod may have.
      throw new RefusedException(UNPROCESSABLE, "no pod can be made from the template: " + odd);
    }
  }

  private static boolean isOurs(Pod pod, OwnerReference owner) {
    return pod.getMetadata().getDeletionTimestamp() == null
        && Objects.requireNonNullElse(
                pod.getMetadata().getOwnerReferences(), List.<OwnerReference>of())
            .stream()
            .anyMatch(o -> owner.getUid().equals(o.getUid()));
  }

  private @Nullable PodSpec template(JobCalls.Live job, String replica) {
    PyTorchJob typed =
        client.getKubernetesSerialization().convertValue(job.raw(), PyTorchJob.class);
    if (typed.getSpec() == null || typed.getSpec().getPytorchReplicaSpecs() == null) {
      return null;
    }
    return typed.getSpec().getPytorchReplicaSpecs().entrySet().stream()
        .filter(e -> e.getKey().equalsIgnoreCase(replica))
        .map(Map.Entry::getValue)
        .filter(spec -> spec != null && spec.getTemplate() != null)
        .map(spec -> spec.getTemplate().getSpec())
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** A claim that one node alone may mount is left to the gang. */
  private List<String> shared(String namespace, PodSpec worker) {
    return SpareTemplate.claims(worker).stream()
        .filter(
            name ->
                claims
                    .in(namespace)
                    .find(
                        () ->
                            client
                                .persistentVolumeClaims()
                                .inNamespace(namespace)
                                .withName(name)
                                .get())
                    .map(PersistentVolumeClaim::getSpec)
                    .filter(spec -> spec.getAccessModes() != null)
                    .filter(spec -> spec.getAccessModes().stream().anyMatch(SHARED::contains))
                    .isPresent())
        .toList();
  }
}
