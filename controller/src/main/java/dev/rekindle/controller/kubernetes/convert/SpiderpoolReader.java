package dev.rekindle.controller.kubernetes.convert;

import static dev.rekindle.controller.kubernetes.convert.JsonText.list;
import static dev.rekindle.controller.kubernetes.convert.JsonText.map;
import static dev.rekindle.controller.kubernetes.convert.JsonText.name;
import static dev.rekindle.controller.kubernetes.convert.JsonText.names;

import dev.rekindle.controller.network.EndpointView;
import dev.rekindle.controller.network.EndpointView.Attached;
import dev.rekindle.controller.network.LabelRule;
import dev.rekindle.controller.network.LabelRule.Expression;
import dev.rekindle.controller.network.MultusView;
import dev.rekindle.controller.network.NamespaceView;
import dev.rekindle.controller.network.PoolView;
import dev.rekindle.controller.network.PoolView.Booking;
import dev.rekindle.controller.network.WebhookView;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads objects of Spiderpool, {@code spiderpool.spidernet.io/v2beta1}, as version 1.2 writes them,
 * and what namespaces and webhooks say for it. Never throws, whatever the object holds.
 */
public final class SpiderpoolReader {
  /** Name of the webhook that adds NICs to pods. */
  static final String POD_WEBHOOK = "pods.spiderpool.spidernet.io";

  private static final String CR_NAME = "multus.spidernet.io/cr-name";

  /** A pool has 5,000 entries at most by default, some 100 characters each. */
  private static final int MAX_ALLOCATED = 4 << 20;

  private static final int MAX_LIST = 4_096;
  private static final int MAX_NICS = 64;

  private SpiderpoolReader() {}

  /** The SpiderIPPool. What it has given out counts as unknown where it cannot be read. */
  public static Optional<PoolView> pool(GenericKubernetesResource pool) {
    Map<?, ?> spec = map(pool.get("spec"));
    Map<?, ?> status = map(pool.get("status"));
    return Optional.of(
        new PoolView(
            name(pool.getMetadata().getName()),
            spec.get("ipVersion") instanceof Number version && version.intValue() == 6,
            Boolean.TRUE.equals(spec.get("disable"))
                || pool.getMetadata().getDeletionTimestamp() != null,
            Boolean.TRUE.equals(spec.get("default")),
            Set.copyOf(names(spec.get("nodeName"), MAX_LIST)),
            rule(spec.get("nodeAffinity")),
            Set.copyOf(names(spec.get("namespaceName"), MAX_LIST)),
            Set.copyOf(names(spec.get("multusName"), MAX_LIST)),
            total(spec, status),
            bookings(status.get("allocatedIPs"))));
  }

  private static @Nullable Long total(Map<?, ?> spec, Map<?, ?> status) {
    if (status.get("totalIPCount") instanceof Number count && count.longValue() >= 0) {
      return count.longValue();
    }
    var listed =
        AddressRanges.count(
            names(spec.get("ips"), MAX_LIST), names(spec.get("excludeIPs"), MAX_LIST));
    return listed.isPresent() && spec.get("ips") != null ? listed.getAsLong() : null;
  }

  /** The field is absent while nothing is given out. */
  private static @Nullable List<Booking> bookings(@Nullable Object allocated) {
    if (allocated == null || "".equals(allocated)) {
      return List.of();
    }
    Object parsed =
        allocated instanceof String text ? JsonText.parse(text, MAX_ALLOCATED).orElse(null) : null;
    if (!(parsed instanceof Map<?, ?> byAddress)) {
      return null;
    }
    List<Booking> bookings = new ArrayList<>();
    byAddress
        .values()
        .forEach(
            entry ->
                bookings.add(
                    new Booking(name(map(entry).get("pod")), name(map(entry).get("podUid")))));
    return bookings;
  }

  private static LabelRule rule(@Nullable Object selector) {
    Map<String, String> labels = new HashMap<>();
    map(map(selector).get("matchLabels"))
        .forEach(
            (key, value) -> {
              if (!name(key).isEmpty() && value instanceof String text) {
                labels.put(name(key), text);
              }
            });
    List<Expression> expressions =
        list(map(selector).get("matchExpressions")).stream()
            .limit(MAX_LIST)
            .map(JsonText::map)
            .map(
                e ->
                    new Expression(
                        name(e.get("key")),
                        name(e.get("operator")),
                        names(e.get("values"), MAX_LIST)))
            .toList();
    return labels.isEmpty() && expressions.isEmpty()
        ? LabelRule.ANY
        : new LabelRule(labels, expressions);
  }

  /** The SpiderMultusConfig. */
  public static Optional<MultusView> config(GenericKubernetesResource config) {
    ObjectMeta meta = config.getMetadata();
    Map<?, ?> spec = map(config.get("spec"));
    String type = name(spec.get("cniType"));
    Map<?, ?> own = map(spec.get(type.replace("-", "")));
    Map<?, ?> pools = map(own.get("ippools"));
    String renamed = annotations(meta).getOrDefault(CR_NAME, "");
    String resource = resource(type, own);
    return Optional.of(
        new MultusView(
            name(meta.getNamespace()) + "/" + (renamed.isEmpty() ? name(meta.getName()) : renamed),
            label(meta, WishReader.RDMA_GROUP),
            label(meta, WishReader.NETWORK_GROUP),
            type,
            order(type, own, resource),
            resource,
            names(pools.get("ipv4"), MAX_NICS),
            names(pools.get("ipv6"), MAX_NICS),
            Boolean.TRUE.equals(spec.get("disableIPAM"))));
  }

  private static String resource(String type, Map<?, ?> own) {
    return switch (type) {
      case "macvlan", "ipvlan", "vlan" -> name(own.get("rdmaResourceName"));
      default -> name(own.get("resourceName"));
    };
  }

  /** What the webhook sorts by ({@code getMultusConfigSortKey}). */
  private static String order(String type, Map<?, ?> own, String resource) {
    List<String> masters = names(own.get("master"), MAX_NICS);
    return switch (type) {
      case "macvlan", "ipvlan", "vlan" ->
          masters.size() > 1 && own.get("bond") != null
              ? name(map(own.get("bond")).get("name"))
              : masters.isEmpty() ? "" : masters.getFirst();
      case "sriov" -> resource;
      default -> "";
    };
  }

  /** The SpiderEndpoint; empty for one of a pod that no PyTorchJob controls. */
  public static Optional<EndpointView> endpoint(GenericKubernetesResource endpoint) {
    Map<?, ?> status = map(endpoint.get("status"));
    if (!"PyTorchJob".equals(status.get("ownerControllerType"))) {
      return Optional.empty();
    }
    Map<?, ?> current = map(status.get("current"));
    List<Attached> nics =
        list(current.get("ips")).stream()
            .limit(MAX_NICS)
            .map(JsonText::map)
            .map(
                ip ->
                    new Attached(
                        name(ip.get("interface")),
                        name(ip.get("ipv4")),
                        name(ip.get("ipv4Pool")),
                        name(ip.get("ipv6")),
                        name(ip.get("ipv6Pool"))))
            .toList();
    return Optional.of(
        new EndpointView(
            name(endpoint.getMetadata().getNamespace()),
            name(endpoint.getMetadata().getName()),
            name(current.get("uid")),
            name(current.get("node")),
            name(status.get("ownerControllerName")),
            nics));
  }

  /** What the namespace says of networks; empty where it says nothing. */
  public static Optional<NamespaceView> namespace(GenericKubernetesResource namespace) {
    Map<String, String> annotations = annotations(namespace.getMetadata());
    NamespaceView view =
        new NamespaceView(
            name(namespace.getMetadata().getName()),
            bounded(annotations.get(WishReader.RDMA_GROUP)),
            bounded(annotations.get(WishReader.NETWORK_GROUP)),
            pools(annotations.get("ipam.spidernet.io/default-ipv4-ippool")),
            pools(annotations.get("ipam.spidernet.io/default-ipv6-ippool")));
    return view.equals(NamespaceView.plain(view.name())) ? Optional.empty() : Optional.of(view);
  }

  private static List<String> pools(@Nullable String text) {
    return text == null
        ? List.of()
        : names(JsonText.parse(text, 16 * 1024).orElse(List.of()), MAX_NICS);
  }

  private static @Nullable String bounded(@Nullable String value) {
    return value == null || value.isEmpty() ? value : name(value);
  }

  /** The webhook that adds NICs to pods; empty for a configuration that has none. */
  public static Optional<WebhookView> webhook(GenericKubernetesResource configuration) {
    return list(configuration.get("webhooks")).stream()
        .<Map<?, ?>>map(JsonText::map)
        .filter(hook -> POD_WEBHOOK.equals(hook.get("name")))
        .findFirst()
        .map(
            hook -> {
              Map<?, ?> service = map(map(hook.get("clientConfig")).get("service"));
              return new WebhookView(
                  name(configuration.getMetadata().getName()),
                  !"Ignore".equals(hook.get("failurePolicy")),
                  service.isEmpty()
                      ? ""
                      : name(service.get("namespace")) + "/" + name(service.get("name")));
            });
  }

  private static String label(ObjectMeta meta, String key) {
    return name(Objects.requireNonNullElse(meta.getLabels(), Map.<String, String>of()).get(key));
  }

  private static Map<String, String> annotations(ObjectMeta meta) {
    return Objects.requireNonNullElse(meta.getAnnotations(), Map.of());
  }
}
