package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.kubernetes.convert.SpiderpoolReader;
import dev.rekindle.controller.network.ClusterNetworks;
import dev.rekindle.controller.network.Installation;
import dev.rekindle.controller.network.NamespaceView;
import dev.rekindle.controller.network.WebhookView;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Reads once, with the rights of a user, how Spiderpool is set up; what is refused is left out. */
final class SpiderpoolExamination {
  private static final String GROUP = "spiderpool.spidernet.io";
  private final KubernetesClient client;

  SpiderpoolExamination(KubernetesClient client) {
    this.client = client;
  }

  Installation of(String namespace) {
    var pools = read(GROUP, "v2beta1", "spiderippools", "SpiderIPPool", SpiderpoolReader::pool);
    var configs =
        read(
            GROUP,
            "v2beta1",
            "spidermultusconfigs",
            "SpiderMultusConfig",
            SpiderpoolReader::config);
    if (pools.isEmpty() && configs.isEmpty()) {
      return Installation.NONE;
    }
    List<NamespaceView> namespaces =
        tried(
            () ->
                Optional.ofNullable(
                        client
                            .genericKubernetesResources("v1", "Namespace")
                            .withName(namespace)
                            .get())
                    .flatMap(SpiderpoolReader::namespace)
                    .stream()
                    .toList(),
            List.of());
    List<WebhookView> webhooks =
        read(
            "admissionregistration.k8s.io",
            "v1",
            "mutatingwebhookconfigurations",
            "MutatingWebhookConfiguration",
            SpiderpoolReader::webhook);
    List<Endpoint> behind =
        webhooks.stream()
            .map(WebhookView::service)
            .filter(service -> service.contains("/"))
            .flatMap(service -> tried(() -> endpoints(service), List.<Endpoint>of()).stream())
            .toList();
    return new Installation(
        new ClusterNetworks(pools, configs, namespaces, webhooks),
        behind.stream().map(Endpoint::getNodeName).filter(Objects::nonNull).toList(),
        tried(() -> version(webhooks, behind), ""));
  }

  private <V> List<V> read(
      String group,
      String version,
      String plural,
      String kind,
      Function<GenericKubernetesResource, Optional<V>> reader) {
    ResourceDefinitionContext context =
        new ResourceDefinitionContext.Builder()
            .withGroup(group)
            .withVersion(version)
            .withPlural(plural)
            .withKind(kind)
            .withNamespaced(plural.equals("spidermultusconfigs"))
            .build();
    return tried(
        () ->
            client.genericKubernetesResources(context).inAnyNamespace().list().getItems().stream()
                .map(reader)
                .flatMap(Optional::stream)
                .toList(),
        List.of());
  }

  private List<Endpoint> endpoints(String service) {
    String[] parts = service.split("/", 2);
    List<Endpoint> ready = new ArrayList<>();
    client
        .discovery()
        .v1()
        .endpointSlices()
        .inNamespace(parts[0])
        .withLabel("kubernetes.io/service-name", parts[1])
        .list()
        .getItems()
        .forEach(
            slice ->
                Objects.requireNonNullElse(slice.getEndpoints(), List.<Endpoint>of()).stream()
                    .filter(
                        e ->
                            e.getConditions() == null
                                || !Boolean.FALSE.equals(e.getConditions().getReady()))
                    .forEach(ready::add));
    return ready;
  }

  /** From the tag of the image of a pod behind the webhook. */
  private String version(List<WebhookView> webhooks, List<Endpoint> behind) {
    for (Endpoint endpoint : behind) {
      if (endpoint.getTargetRef() != null && !webhooks.isEmpty()) {
        var pod =
            client
                .pods()
                .inNamespace(webhooks.getFirst().service().split("/", 2)[0])
                .withName(endpoint.getTargetRef().getName())
                .get();
        if (pod != null && !pod.getSpec().getContainers().isEmpty()) {
          String image =
              Objects.requireNonNullElse(pod.getSpec().getContainers().getFirst().getImage(), "");
          String tag = image.replaceFirst("@.*", "").replaceFirst(".*:", "");
          return tag.startsWith("v") ? tag.substring(1) : tag;
        }
      }
    }
    return "";
  }

  private static <T> T tried(Supplier<T> read, T otherwise) {
    try {
      return read.get();
    } catch (KubernetesClientException refused) {
      return otherwise;
    }
  }
}
