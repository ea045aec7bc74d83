package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartReport;
import dev.rekindle.controller.model.Labels;
import dev.rekindle.controller.runtime.Backoff;
import dev.rekindle.detect.WatchedNamespaces;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.AnyNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.kubeflow.v1.PyTorchJob;

/**
 * The watches of what each cluster with Rekindle has. What belongs to a job is watched in all
 * namespaces at once, or in each of those that are watched, where the rights end as well.
 */
record ObjectWatches(
    KubernetesClient client, KubernetesFeeds feeds, ScheduledExecutorService timer, Backoff retry) {

  List<Watch> of(WatchedNamespaces namespaces) {
    List<Watch> watches = new ArrayList<>();
    watches.add(
        watch(
            "nodefaults.rekindle.dev",
            "",
            NodeFault::new,
            () -> client.resources(NodeFault.class),
            feeds.faults()));
    watches.add(
        watch(
            "recoverypolicies.rekindle.dev",
            "",
            RecoveryPolicy::new,
            () -> client.resources(RecoveryPolicy.class),
            feeds.policies()));
    for (String namespace : namespaces.places()) {
      watches.addAll(in(namespace));
    }
    return watches;
  }

  private List<Watch> in(String namespace) {
    return List.of(
        own("pytorchjobs.kubeflow.org", namespace, PyTorchJob.class, PyTorchJob::new, feeds.jobs()),
        watch(
            "pods",
            namespace,
            Pod::new,
            () ->
                in(client.pods(), namespace)
                    .withLabel(Labels.OPERATOR_NAME, Labels.PYTORCH_OPERATOR),
            feeds.pods()),
        watch(
            "pods of warm spares",
            namespace,
            Pod::new,
            () -> in(client.pods(), namespace).withLabel(Labels.COMPONENT, Labels.SPARE),
            feeds.spares()),
        own(
            "rankreports.rekindle.dev",
            namespace,
            RankReport.class,
            RankReport::new,
            feeds.ranks()),
        own(
            "recoveries.rekindle.dev",
            namespace,
            Recovery.class,
            Recovery::new,
            feeds.recoveries()),
        own(
            "restartorders.rekindle.dev",
            namespace,
            RestartOrder.class,
            RestartOrder::new,
            feeds.orders()),
        own(
            "restartreports.rekindle.dev",
            namespace,
            RestartReport.class,
            RestartReport::new,
            feeds.restarts()));
  }

  private <T extends HasMetadata> Watch own(
      String kind, String namespace, Class<T> type, Supplier<T> empty, Feed<T> feed) {
    return watch(kind, namespace, empty, () -> in(client.resources(type), namespace), feed);
  }

  private <T extends HasMetadata> Watch watch(
      String kind,
      String namespace,
      Supplier<T> empty,
      Supplier<Informable<T>> source,
      Feed<T> feed) {
    return new Watched<>(
        name(kind, namespace), empty, source, () -> isGone(client, namespace), feed, timer, retry);
  }

  /** A kind as it stands in the log. */
  static String name(String kind, String namespace) {
    return namespace.isEmpty() ? kind : kind + " in " + namespace;
  }

  /** Whether a namespace is not there; false where the API server gives no answer. */
  static boolean isGone(KubernetesClient client, String namespace) {
    try {
      return !namespace.isEmpty() && client.namespaces().withName(namespace).get() == null;
    } catch (KubernetesClientException noAnswer) {
      return false;
    }
  }

  /** Objects of one namespace, or of all where the text is empty. */
  static <T, L, R extends Resource<T>> AnyNamespaceOperation<T, L, R> in(
      MixedOperation<T, L, R> all, String namespace) {
    return namespace.isEmpty() ? all.inAnyNamespace() : all.inNamespace(namespace);
  }
}
