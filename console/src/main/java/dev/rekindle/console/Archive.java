package dev.rekindle.console;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.Recovery;
import dev.rekindle.page.FaultRow;
import dev.rekindle.page.FleetPage;
import dev.rekindle.page.Incident;
import dev.rekindle.page.ListPage.Filter;
import dev.rekindle.page.NodePage;
import dev.rekindle.page.PoliciesPage;
import dev.rekindle.page.PolicyRow;
import dev.rekindle.page.Pricing;
import dev.rekindle.page.RecoveryRow;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** What there is, as far as a visitor may see it. */
@Singleton
class Archive {
  private static final String PARTIAL =
      "Not all namespaces are in this list: there are too many to check which of them you may see."
          + " Name one in the filter.";

  private final ClusterWatch cluster;
  private final Access access;
  private final Guard guard;
  private final GpuModels models;
  private final InstantSource clock = InstantSource.system();

  Archive(ClusterWatch cluster, Access access, Guard guard, GpuModels models) {
    this.models = models;
    this.cluster = cluster;
    this.access = access;
    this.guard = guard;
  }

  /**
   * A part of the list.
   *
   * @param limit how many at most
   * @throws Refused where the filter names a namespace that the visitor may not see
   */
  Slice list(Visitor visitor, Filter filter, Optional<Cursor> after, int limit) {
    List<RecoveryRow> all = visible(visitor, filter.namespace()).rows();
    List<RecoveryRow> rows = filter.isOfAll() ? all : all.stream().filter(filter::fits).toList();
    Pricing pricing = pricing(visitor);
    // Reads one more than it shows, to know whether there is a next part.
    List<RecoveryRow> part =
        rows.stream()
            .filter(r -> after.isEmpty() || after.get().isBefore(r))
            .limit(limit + 1L)
            .toList();
    boolean more = part.size() > limit;
    return new Slice(
        part.stream().limit(limit).map(r -> r.priced(pricing)).toList(),
        more ? Optional.of(Cursor.of(part.get(limit - 1))) : Optional.empty(),
        rows.size());
  }

  /** Of all namespaces where none is named. */
  private View visible(Visitor visitor, String namespace) {
    if (!namespace.isEmpty()) {
      guard.require(() -> access.mayList(visitor, namespace));
      return cluster.recoveries().of(Set.of(namespace));
    }
    return cluster.recoveries().of(namespaces(visitor));
  }

  private Set<String> namespaces(Visitor visitor) {
    return guard.answer(() -> access.visible(visitor, cluster.recoveries().namespaces()));
  }

  /**
   * One recovery. Faults of nodes go with it where the visitor may see those.
   *
   * @throws Refused where they may not see it, before it is checked whether there is one
   */
  Incident incident(Visitor visitor, String namespace, String name) {
    guard.require(() -> access.mayList(visitor, namespace));
    Recovery recovery =
        cluster
            .recoveries()
            .find(namespace, name)
            .orElseThrow(() -> new Refused(Refused.Why.NO_SUCH));
    List<NodeFault> faults =
        guard.answer(() -> access.maySeeNodes(visitor)) ? cluster.faults() : List.of();
    return new Incident(recovery, faults, clock.instant(), pricing(visitor));
  }

  /** Prices, for whom may see them. */
  private Pricing pricing(Visitor visitor) {
    return maySeePolicies(visitor) ? models.pricing(cluster.defaultPolicy()) : Pricing.NONE;
  }

  private boolean maySeePolicies(Visitor visitor) {
    return guard.answer(() -> access.maySeePolicies(visitor));
  }

  /**
   * What stands against new recoveries, for whom may see policies, and what is not in a list.
   *
   * @param namespace the one that is listed; empty for all
   */
  List<String> notices(Visitor visitor, String namespace) {
    Stream<String> policies =
        maySeePolicies(visitor)
            ? cluster.policyRows(clock.instant()).stream().flatMap(p -> p.notice().stream())
            : Stream.empty();
    List<String> unread = cluster.unread(place -> place.isEmpty() || isTold(visitor, place));
    return Stream.of(unread.stream(), partial(visitor, namespace), policies)
        .flatMap(Function.identity())
        .toList();
  }

  private Stream<String> partial(Visitor visitor, String namespace) {
    return namespace.isEmpty()
            && guard.answer(() -> access.isPartial(visitor, cluster.recoveries().namespaces()))
        ? Stream.of(PARTIAL)
        : Stream.empty();
  }

  /** All policies, and the recoveries that the visitor may see about which a person is asked. */
  PoliciesPage policies(Visitor visitor) {
    return PoliciesPage.of(policyRows(visitor), visible(visitor, "").rows());
  }

  /** All policies. */
  List<PolicyRow> policyRows(Visitor visitor) {
    guard.require(() -> access.maySeePolicies(visitor));
    return cluster.policyRows(clock.instant());
  }

  /** One node, and those of its recoveries that the visitor may see. */
  NodePage node(Visitor visitor, String node) {
    guard.require(() -> access.maySeeNodes(visitor));
    Pricing pricing = pricing(visitor);
    NodePage page =
        new NodePage(
            node,
            cluster.faultRows(),
            visible(visitor, "").rows().stream()
                .filter(r -> r.nodes().contains(node))
                .map(r -> r.priced(pricing))
                .toList());
    if (page.faults().isEmpty() && page.recoveries().isEmpty()) {
      throw new Refused(Refused.Why.NO_SUCH);
    }
    return page;
  }

  /** All nodes, and what the visitor may see of recoveries. */
  FleetPage fleet(Visitor visitor) {
    guard.require(() -> access.maySeeNodes(visitor));
    return visible(visitor, "").fleet();
  }

  /** Faults of nodes. */
  List<FaultRow> faults(Visitor visitor) {
    guard.require(() -> access.maySeeNodes(visitor));
    return cluster.faultRows();
  }

  /** Whether the visitor may be told of a change there, now. */
  boolean isTold(Visitor visitor, String namespace) {
    return guard.answer(() -> access.mayHear(visitor, namespace));
  }

  /** Whether the visitor may be notified of changes there. */
  boolean mayHear(Visitor visitor, String namespace) {
    return namespace.isEmpty()
        ? guard.answer(() -> access.maySeeNodes(visitor))
        : guard.answer(() -> access.mayList(visitor, namespace));
  }
}
