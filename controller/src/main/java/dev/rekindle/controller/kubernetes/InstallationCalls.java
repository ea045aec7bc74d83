package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.Recovery;
import dev.rekindle.controller.cli.ListedRecovery;
import dev.rekindle.controller.install.Installation;
import dev.rekindle.controller.install.Installation.Agents;
import dev.rekindle.controller.install.Removal;
import dev.rekindle.controller.install.Removal.Fenced;
import dev.rekindle.controller.model.Annotations;
import dev.rekindle.detect.WatchedNamespaces;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the chart's hooks read, with rights of their own. */
public final class InstallationCalls {
  private static final long PAGE = 500;

  private final KubernetesClient client;
  private final String namespace;
  private String version = "";

  /** Reads an installation in that namespace. */
  public InstallationCalls(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  /**
   * Checks once. A lease counts as renewed when it has changed since this object read it first.
   *
   * @param daemonSet of the agents; empty where there are none
   * @param console asks the console
   */
  public Installation read(String daemonSet, Supplier<Optional<Installation.Answer>> console) {
    try {
      Lease lease = client.leases().inNamespace(namespace).withName(LeaderLoop.LEASE).get();
      String leader =
          lease == null ? "" : Objects.requireNonNullElse(lease.getSpec().getHolderIdentity(), "");
      var pods =
          client.pods().inNamespace(namespace).list().getItems().stream()
              .map(pod -> pod.getMetadata().getName())
              .collect(Collectors.toSet());
      return new Installation(
          leader, renewed(lease), pods, agents(daemonSet), CrdCheck.ask(client), console.get(), "");
    } catch (KubernetesClientException e) {
      return new Installation("", false, Set.of(), Optional.empty(), "", Optional.empty(), why(e));
    }
  }

  /** What the API server itself says where it says something. */
  public static String why(KubernetesClientException e) {
    return e.getStatus() == null || e.getStatus().getMessage() == null
        ? String.valueOf(e.getMessage())
        : e.getStatus().getMessage();
  }

  private boolean renewed(@Nullable Lease lease) {
    String now = lease == null ? "" : lease.getMetadata().getResourceVersion();
    if (version.isEmpty()) {
      version = now;
    }
    return !now.isEmpty() && !now.equals(version);
  }

  private Optional<Agents> agents(String daemonSet) {
    if (daemonSet.isEmpty()) {
      return Optional.empty();
    }
    var found = client.apps().daemonSets().inNamespace(namespace).withName(daemonSet).get();
    var status = found == null ? null : found.getStatus();
    return Optional.of(
        status == null
            ? new Agents(0, 0, 0)
            : new Agents(
                count(status.getDesiredNumberScheduled()),
                count(status.getUpdatedNumberScheduled()),
                count(status.getNumberReady())));
  }

  private static int count(@Nullable Integer number) {
    return number == null ? 0 : number;
  }

  /**
   * What would be left behind.
   *
   * @throws KubernetesClientException where it cannot be read
   */
  public Removal removal(WatchedNamespaces namespaces) {
    List<ListedRecovery> recoveries = new ArrayList<>();
    for (String place : namespaces.places()) {
      recoveries(place).stream()
          .filter(r -> r.getSpec() != null)
          .map(OperatorCalls::listed)
          .forEach(recoveries::add);
    }
    return new Removal(recoveries, fenced());
  }

  /** None where the CRD is gone already. */
  private List<Recovery> recoveries(String place) {
    try {
      return ObjectWatches.in(client.resources(Recovery.class), place).list().getItems();
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND
          || (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN
              && ObjectWatches.isGone(client, place))) {
        return List.of();
      }
      throw e;
    }
  }

  private List<Fenced> fenced() {
    List<Fenced> fenced = new ArrayList<>();
    String next = "";
    do {
      var page =
          client
              .nodes()
              .list(
                  new ListOptionsBuilder()
                      .withLimit(PAGE)
                      .withContinue(next.isEmpty() ? null : next)
                      .build());
      for (Node node : page.getItems()) {
        Map<String, String> annotations =
            Objects.requireNonNullElse(node.getMetadata().getAnnotations(), Map.of());
        if (annotations.containsKey(Annotations.FENCED_BY)) {
          fenced.add(
              new Fenced(
                  node.getMetadata().getName(),
                  annotations.getOrDefault(
                      Annotations.FENCE_REASON,
                      annotations.getOrDefault(Annotations.FENCED_BY, ""))));
        }
      }
      next = Objects.requireNonNullElse(page.getMetadata().getContinue(), "");
    } while (!next.isEmpty());
    return fenced;
  }
}
